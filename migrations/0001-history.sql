-- The clock of every record. Tests replace this function to simulate midnight or a clock set back.
create function wall_clock() returns timestamptz
  language sql volatile
  as $$ select clock_timestamp() $$;

-- Operations are numbered when they are accepted: the apply lane works in this order.
create sequence operation_id;

-- Everything else (customers, identifiers, messages, statuses) is numbered from blocks of a hundred,
-- so that a batch reserves its numbers with one call.
create sequence record_id increment by 100;

-- The journal of row versions: each change to a published record appends the record's new state here,
-- in the transaction that made the change. The daily export reads it by project and instant.
create table history (
  project_id int not null,
  table_name text not null,
  at timestamptz not null,
  state jsonb not null
) partition by range (at);

create index history_by_project on history (project_id, at);

-- Rows outside the days prepared ahead (a clock far off) still have a home.
create table history_default partition of history default;

-- Makes the partitions of `days` days from `first` on that do not exist yet.
create function prepare_history(first date, days int) returns int
  language plpgsql
  as $$
declare
  day date;
  made int := 0;
begin
  for day in select first + n from generate_series(0, days - 1) n loop
    if to_regclass('history_' || to_char(day, 'YYYYMMDD')) is null then
      execute format(
        'create table %I partition of history for values from (%L) to (%L)',
        'history_' || to_char(day, 'YYYYMMDD'),
        day::timestamp at time zone 'UTC',
        (day + 1)::timestamp at time zone 'UTC'
      );
      made := made + 1;
    end if;
  end loop;
  return made;
end $$;

-- The last instant a project's history was cut at. A writer never uses an instant before it.
create table history_cut (
  project_id int primary key,
  cut_at timestamptz not null
);

-- The last published state of what a definition declares (mailings, topics, endpoints, field kinds),
-- and the number each one keeps for ever.
create table definition_record (
  project_id int not null,
  table_name text not null,
  name text not null,
  id bigint not null,
  state jsonb not null,
  created_at timestamptz not null,
  changed_at timestamptz not null,
  primary key (project_id, table_name, name)
);
