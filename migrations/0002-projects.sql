-- Projects: their definitions as applied, and their secrets, sealed under the master key.

create table project (
  id int generated always as identity primary key,
  -- The system name: the first half of every endpointId and the _tenant of the export.
  name text not null unique,
  created_at timestamptz not null default now(),
  -- The revision in force; 0 only inside the transaction that creates the project.
  revision int not null,
  -- Grows with every change of the definition or of a key. Running processes poll it.
  version bigint not null
);

create table project_revision (
  project_id int not null references project (id),
  revision int not null,
  definition jsonb not null,
  applied_at timestamptz not null default now(),
  primary key (project_id, revision)
);

create table secret_key (
  project_id int not null references project (id),
  -- Public: names the key in lists and logs.
  id text not null,
  endpoint text not null,
  sealed bytea not null,
  -- The last four characters of the key, for people who compare it with their own copy.
  hint text not null,
  created_at timestamptz not null default now(),
  revoked_at timestamptz,
  primary key (project_id, id)
);

-- Keys that the service makes for itself, such as the one that signs links.
create table project_secret (
  project_id int not null references project (id),
  name text not null,
  sealed bytea not null,
  created_at timestamptz not null default now(),
  primary key (project_id, name)
);

-- One row per project. Whoever applies its operations holds a lock on it.
create table lane (
  project_id int primary key references project (id)
);
