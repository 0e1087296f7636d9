import { openDatabase, type TestDatabase } from '@paymaster/devnet';
import type { DataSource } from 'typeorm';
import { dataSourceOptions, openDataSource } from './data-source';

let postgres: TestDatabase;
let dataSource: DataSource;
const open = () => openDataSource(dataSourceOptions({ databaseUrl: postgres.url, databasePoolSize: 2 }));

beforeAll(async () => {
  postgres = await openDatabase();
  dataSource = await open();
});
afterAll(async () => {
  await dataSource.destroy();
  await postgres.stop();
});

/** Every column, constraint and index of the schema, less the ORM's own table. */
async function schema(): Promise<unknown[]> {
  return dataSource.query(`
    SELECT 'column' AS kind, table_name, column_name AS name, data_type || is_nullable || coalesce(column_default, '') AS is
      FROM information_schema.columns WHERE table_schema = 'dashboard' AND table_name <> 'migrations'
    UNION ALL SELECT 'constraint', conrelid::regclass::text, conname, pg_get_constraintdef(oid)
      FROM pg_constraint WHERE connamespace = 'dashboard'::regnamespace AND conrelid::regclass::text <> 'dashboard.migrations'
    UNION ALL SELECT 'index', tablename, indexname, indexdef
      FROM pg_indexes WHERE schemaname = 'dashboard' AND tablename <> 'migrations'
    ORDER BY 1, 2, 3`);
}

describe('migrations', () => {
  it('are undone exactly, and done again alike', async () => {
    const up = await schema();
    expect(up.length).toBeGreaterThan(30);
    for (const _ of dataSource.migrations) await dataSource.undoLastMigration();
    expect(await schema()).toEqual([]);
    await dataSource.runMigrations();
    expect(await schema()).toEqual(up);
  });

  it('make exactly the columns that entities have, of the same types', async () => {
    const { driver, entityMetadatas } = dataSource;
    const declared = entityMetadatas.flatMap(({ tableName, columns }) =>
      columns.map((column) => {
        const type = { ...column, type: driver.normalizeType(column), length: '' } as never;
        return `${tableName}.${column.databaseName} ${driver.createFullType(type).toLowerCase().replace(' array', '[]')} ${column.isNullable ? 'NULL' : 'NOT NULL'}`;
      }),
    );
    const made: { column: string }[] = await dataSource.query(
      `SELECT format('%s.%s %s %s', relname, attname, format_type(atttypid, atttypmod),
                     CASE WHEN attnotnull THEN 'NOT NULL' ELSE 'NULL' END) AS column
         FROM pg_attribute JOIN pg_class c ON c.oid = attrelid
        WHERE relnamespace = 'dashboard'::regnamespace AND relname = ANY ($1) AND attnum > 0 AND NOT attisdropped`,
      [entityMetadatas.map(({ tableName }) => tableName)],
    );
    expect(declared.sort()).toEqual(made.map(({ column }) => column).sort());
  });

  it('run once when several processes start together', async () => {
    await dataSource.query('DROP SCHEMA dashboard CASCADE');
    const opened = await Promise.all([open(), open(), open()]);
    await Promise.all(opened.map((each) => each.destroy()));
    const [{ count }] = await dataSource.query('SELECT count(*)::int AS count FROM dashboard.migrations');
    expect(count).toBe(dataSource.migrations.length);
  });
});
