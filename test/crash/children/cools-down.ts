/**
 * Records cooldowns of identities, one after the other and each of them twice, and prints each once
 * it is durable. Then it waits to be killed. With a number it kills itself at that statement.
 * Usage: cools-down.ts PATH [K]
 */
import { writeSync } from 'node:fs';
import { CooldownStore } from '../../../src/limits/cooldown-store.ts';
import { systemClock } from '../../../src/host/machine/system-clock.ts';
import type { Database, Statement } from '../../../src/store/sqlite/database.ts';
import { openDatabase } from '../../../src/store/sqlite/database.ts';
import { SqliteJournal } from '../../../src/store/sqlite/sqlite-journal.ts';

const [path = '', k = '0'] = process.argv.slice(2);
const FAR = 4_000_000_000_000;
let writes = 0;

function dying(statement: Statement, sql: string): Statement {
  return {
    run: (...values) => {
      const result = statement.run(...values);
      if (/^\s*(INSERT|UPDATE|COMMIT)/.test(sql) && (writes += 1) === Number(k))
        process.kill(process.pid, 'SIGKILL');
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
  prepare: (sql) => dying(database.prepare(sql), sql),
  close: () => database.close(),
  get isTransaction() {
    return database.isTransaction;
  },
};
const journal = new SqliteJournal(deadly, path);
const book = await CooldownStore.open({ journal, clock: systemClock });
for (const identity of ['a', 'a', 'b', 'b', 'c', 'c']) {
  await book.cool({ identity, agent: identity, run: 'r', until: FAR, reason: 'HTTP 429' });
  writeSync(1, identity);
}
writeSync(1, '.');
await journal.close();
