/**
 * Performs the series and kills itself right after its k-th writing statement: inside a
 * transaction, or after its commit and before the acknowledgement. Usage: dies-at-statement.ts PATH
 * K
 */
import { writeSync } from 'node:fs';
import type { Database, Statement } from '../../../src/store/sqlite/database.ts';
import { openDatabase } from '../../../src/store/sqlite/database.ts';
import { SqliteJournal } from '../../../src/store/sqlite/sqlite-journal.ts';
import { playSeries } from '../series.ts';

const [path = '', k = '0'] = process.argv.slice(2);
let statements = 0;

function dying(statement: Statement): Statement {
  return {
    run: (...values) => {
      const result = statement.run(...values);
      statements += 1;
      if (statements === Number(k)) process.kill(process.pid, 'SIGKILL');
      return result;
    },
    get: statement.get.bind(statement),
    all: statement.all.bind(statement),
    iterate: statement.iterate.bind(statement),
  };
}

const database = openDatabase(path);
const deadly: Database = {
  exec: (sql) => database.exec(sql),
  prepare: (sql) => dying(database.prepare(sql)),
  close: () => database.close(),
  get isTransaction() {
    return database.isTransaction;
  },
};
const journal = new SqliteJournal(deadly, path);
await playSeries(journal, (id) => writeSync(1, `${id}\n`));
await journal.close();
