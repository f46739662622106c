-- A customer is one row, with its identifiers, subscriptions and custom fields inside: a batch reads and
-- writes whole customers.
create table customer (
  project_id int not null,
  id bigint not null,
  email text,
  mobile_phone text,
  last_name text,
  first_name text,
  birth_date date,
  password_hash text,
  identifiers jsonb not null,
  custom_fields jsonb not null,
  subscriptions jsonb not null,
  created_at timestamptz not null,
  changed_at timestamptz not null,
  -- The latest instant used for anything of this customer, so that the next one is later.
  touched_at timestamptz not null,
  primary key (project_id, id)
) with (fillfactor = 85);

-- What customers are found by: identifiers by their kind, contacts as '@email' and '@mobilePhone'. In a
-- table with this one index, because a prepared statement keeps its plan: made while a table is
-- small, when any index that starts with the project looks as good as another, it may choose one that
-- reads the whole project later. Uniqueness is checked at commit, because within a batch a name may
-- pass from one customer to another in either order.
create table customer_name (
  project_id int not null,
  kind text not null,
  key text not null,
  customer_id bigint not null,
  constraint customer_name_key unique (project_id, kind, key) deferrable initially deferred
);

-- The identifiers one by one, for people who look.
create view customer_identifier as
  select c.project_id, c.id as customer_id, i ->> 'kind' as kind, i ->> 'value' as value,
         (i ->> 'id')::bigint as id,
         (i ->> 'historicalCustomerId')::bigint as historical_customer_id,
         instant((i ->> 'historicalCreatedAt')::bigint) as historical_created_at
    from customer c, jsonb_array_elements(c.identifiers) i;

create table customer_device (
  project_id int not null,
  device_uuid uuid not null,
  customer_id bigint not null,
  first_seen_at timestamptz not null,
  last_seen_at timestamptz not null,
  primary key (project_id, device_uuid)
);

-- Only for merging and erasing; it does not start with the project, so that nothing else may choose it.
create index customer_device_by_customer on customer_device (customer_id);

-- Where a merged customer went. Chains are kept short: an absorbed customer points at the one alive.
create table customer_merge (
  project_id int not null,
  absorbed_id bigint not null,
  survivor_id bigint not null,
  at timestamptz not null,
  primary key (project_id, absorbed_id)
);

create index customer_merge_by_survivor on customer_merge (project_id, survivor_id);
