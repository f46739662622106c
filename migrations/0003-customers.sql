-- A customer is one row, with its subscriptions and custom fields inside: a batch reads and writes
-- whole customers. Uniqueness is checked at commit, because within a batch a contact may pass from
-- one customer to another in either order.
create table customer (
  project_id int not null,
  id bigint not null,
  email text,
  email_key text,
  mobile_phone text,
  last_name text,
  first_name text,
  birth_date date,
  password_hash text,
  custom_fields jsonb not null,
  subscriptions jsonb not null,
  created_at timestamptz not null,
  changed_at timestamptz not null,
  -- The latest instant used for anything of this customer, so that the next one is later.
  touched_at timestamptz not null,
  primary key (project_id, id),
  constraint customer_email unique (project_id, email_key) deferrable initially deferred,
  constraint customer_mobile_phone unique (project_id, mobile_phone) deferrable initially deferred
) with (fillfactor = 85);

create table customer_identifier (
  project_id int not null,
  kind text not null,
  value text not null,
  customer_id bigint not null,
  id bigint not null,
  -- The customer it was first given to, and when that one was made.
  historical_customer_id bigint not null,
  historical_created_at timestamptz not null,
  constraint customer_identifier_value unique (project_id, kind, value) deferrable initially deferred
);

create index customer_identifier_by_customer on customer_identifier (project_id, customer_id);

create table customer_device (
  project_id int not null,
  device_uuid uuid not null,
  customer_id bigint not null,
  first_seen_at timestamptz not null,
  last_seen_at timestamptz not null,
  primary key (project_id, device_uuid)
);

create index customer_device_by_customer on customer_device (project_id, customer_id);

-- Where a merged customer went. Chains are kept short: an absorbed customer points at the one alive.
create table customer_merge (
  project_id int not null,
  absorbed_id bigint not null,
  survivor_id bigint not null,
  at timestamptz not null,
  primary key (project_id, absorbed_id)
);

create index customer_merge_by_survivor on customer_merge (project_id, survivor_id);
