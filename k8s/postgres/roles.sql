-- Roles of the platform in its database: one that may change tables, and one for each app, which may not.
-- An administrator runs it once in the new, empty database, before the first migration or a restore, and then gives each
-- role that logs in its password with psql's \password (k8s/README.md). Nobody here is a superuser, nobody owns the
-- database. Roles belong to the server, not to the database: those that are there already stay as they are.

DO $$ DECLARE name text; BEGIN
  FOREACH name IN ARRAY ARRAY['migrator', 'dashboard', 'gateway', 'settlement', 'reader'] LOOP
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'paymaster_' || name) THEN
      EXECUTE format('CREATE ROLE %I LOGIN', 'paymaster_' || name);
    END IF;
  END LOOP;
END $$;

-- Owns both schemas; only the migration jobs are it. Everything that comes by migration is granted below beforehand.
ALTER ROLE paymaster_migrator CONNECTION LIMIT 8;
-- For people who look.
ALTER ROLE paymaster_reader CONNECTION LIMIT 8;

-- Names are found where we put them, or not at all.
ALTER ROLE paymaster_migrator SET search_path = pg_catalog;
ALTER ROLE paymaster_dashboard SET search_path = dashboard, pg_catalog;
ALTER ROLE paymaster_gateway SET search_path = ledger, pg_catalog;
ALTER ROLE paymaster_settlement SET search_path = ledger, pg_catalog;
ALTER ROLE paymaster_reader SET search_path = pg_catalog;
ALTER ROLE paymaster_reader SET default_transaction_read_only = on;
ALTER ROLE paymaster_reader SET statement_timeout = '30s';

-- What is open to everybody in a new database is closed.
REVOKE ALL ON SCHEMA public FROM PUBLIC;
DO $$ BEGIN
  EXECUTE format('REVOKE ALL ON DATABASE %I FROM PUBLIC', current_database());
  EXECUTE format(
    'GRANT CONNECT ON DATABASE %I TO paymaster_migrator, paymaster_dashboard, paymaster_gateway, paymaster_settlement, paymaster_reader',
    current_database());
END $$;

CREATE SCHEMA IF NOT EXISTS dashboard AUTHORIZATION paymaster_migrator;
CREATE SCHEMA IF NOT EXISTS ledger AUTHORIZATION paymaster_migrator;
GRANT USAGE ON SCHEMA dashboard TO paymaster_dashboard, paymaster_reader;
GRANT USAGE ON SCHEMA ledger TO paymaster_gateway, paymaster_settlement, paymaster_reader;

-- Rows, never tables. Triggers of the schemas see to it that entries and the audit log are only added to.
ALTER DEFAULT PRIVILEGES FOR ROLE paymaster_migrator IN SCHEMA dashboard
  GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO paymaster_dashboard;
ALTER DEFAULT PRIVILEGES FOR ROLE paymaster_migrator IN SCHEMA dashboard
  GRANT USAGE ON SEQUENCES TO paymaster_dashboard;
ALTER DEFAULT PRIVILEGES FOR ROLE paymaster_migrator IN SCHEMA ledger
  GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO paymaster_gateway, paymaster_settlement;
ALTER DEFAULT PRIVILEGES FOR ROLE paymaster_migrator IN SCHEMA ledger
  GRANT USAGE ON SEQUENCES TO paymaster_gateway, paymaster_settlement;
ALTER DEFAULT PRIVILEGES FOR ROLE paymaster_migrator REVOKE EXECUTE ON FUNCTIONS FROM PUBLIC;
ALTER DEFAULT PRIVILEGES FOR ROLE paymaster_migrator IN SCHEMA ledger
  GRANT EXECUTE ON FUNCTIONS TO paymaster_gateway, paymaster_settlement;
ALTER DEFAULT PRIVILEGES FOR ROLE paymaster_migrator IN SCHEMA dashboard
  GRANT SELECT ON TABLES TO paymaster_reader;
ALTER DEFAULT PRIVILEGES FOR ROLE paymaster_migrator IN SCHEMA ledger
  GRANT SELECT ON TABLES TO paymaster_reader;
