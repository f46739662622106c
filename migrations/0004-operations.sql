-- Operations said yes to and not yet applied. A row leaves in the transaction that applies it.
create table inbox (
  project_id int not null,
  id bigint not null,
  received_at timestamptz not null,
  -- Kept as text: it is written once, read once and never searched.
  payload json not null,
  size_bytes int not null,
  primary key (project_id, id)
) with (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 5000);

-- Operations that are over.
create table operation (
  project_id int not null,
  id bigint not null,
  name text not null,
  kind text not null,
  mode text not null,
  endpoint text not null,
  mechanism text not null,
  transaction_id text,
  customer_id bigint,
  state text not null,
  received_at timestamptz not null,
  done_at timestamptz not null,
  problems jsonb,
  primary key (project_id, id)
);

create table registered_transaction (
  project_id int not null,
  mechanism text not null,
  id text not null,
  operation_id bigint not null,
  operation_name text not null,
  registered_at timestamptz not null,
  primary key (project_id, mechanism, id)
);

-- Rows arrive in the order of time, so a block range index finds the old ones at almost no cost.
create index registered_transaction_by_time on registered_transaction using brin (registered_at);

create table message (
  project_id int not null,
  id bigint not null,
  customer_id bigint not null,
  mailing text not null,
  channel text not null,
  -- Fixed when the operation was applied; null once the customer is erased.
  address text,
  parameters json,
  operation_id bigint,
  status text not null,
  created_at timestamptz not null,
  primary key (project_id, id)
);

create index message_by_operation on message (project_id, operation_id);
create index message_by_customer on message (project_id, customer_id);

create table message_status (
  project_id int not null,
  message_id bigint not null,
  id bigint not null,
  status text not null,
  at timestamptz not null,
  reason text,
  primary key (project_id, message_id, id)
);
