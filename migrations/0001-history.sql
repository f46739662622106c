-- The clock of every record. Tests replace this function to simulate midnight or a clock set back.
create function wall_clock() returns timestamptz
  language sql volatile
  as $$ select clock_timestamp() $$;

-- Instants travel as whole microseconds since 1970, which both sides hold exactly. Both functions are
-- simple enough to be inlined into the statements that use them.
create function instant(us bigint) returns timestamptz
  language sql stable
  as $$ select 'epoch'::timestamptz + us * interval '1 microsecond' $$;

create function micros(at timestamptz) returns float8
  language sql stable
  as $$ select round(date_part('epoch', at) * 1000000) $$;

-- Every record of every kind is numbered from here, in blocks of a hundred: a batch reserves its
-- numbers with one call, and a number names one thing in the whole service. Operations take theirs when
-- they are accepted, so that they grow in that order.
create sequence record_id increment by 100;

-- The journal of row versions: each change to a published record appends the record's new state here,
-- in the transaction that made the change. The daily export reads it by project and instant.
create table history (
  project_id int not null,
  table_name text not null,
  at timestamptz not null,
  -- Kept as text: it is written for every change, read once by the export, and searched only to erase.
  state json not null
) partition by range (at);

create index history_by_project on history (project_id, at);

-- Rows outside the days prepared ahead (a clock far off) still have a home.
create table history_default partition of history default;

-- Makes the partitions of `days` days from `first` on that do not exist yet. Rows of such a day that
-- went to the default partition move to their own.
create function prepare_history(first date, days int) returns int
  language plpgsql
  as $$
declare
  day date;
  partition_name text;
  starts timestamptz;
  ends timestamptz;
  made int := 0;
begin
  -- Two processes that start at once take turns.
  perform pg_advisory_xact_lock(hashtext('prepare_history'));
  for day in select first + n from generate_series(0, days - 1) n loop
    partition_name := 'history_' || to_char(day, 'YYYYMMDD');
    continue when to_regclass(partition_name) is not null;
    starts := day::timestamp at time zone 'UTC';
    ends := (day + 1)::timestamp at time zone 'UTC';
    execute format('create table %I (like history including defaults)', partition_name);
    execute format(
      'with moved as (delete from history_default where at >= %L and at < %L returning *)
       insert into %I select * from moved', starts, ends, partition_name);
    execute format(
      'alter table history attach partition %I for values from (%L) to (%L)',
      partition_name, starts, ends);
    made := made + 1;
  end loop;
  return made;
end $$;

-- The last instant a project's history was cut at. A writer never uses an instant before it.
create table history_cut (
  project_id int primary key,
  cut_at timestamptz not null
);

-- The instant for what a transaction is about to write, and the only way to get one. The transaction takes
-- its id before it reads the cut, each step with a snapshot of its own; see docs/architecture.md,
-- "The exact cut".
create function writing_instant(project int) returns timestamptz
  language plpgsql volatile
  as $$
begin
  perform pg_current_xact_id();
  return (select greatest(wall_clock(), max(cut_at)) from history_cut where project_id = project);
end $$;

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
