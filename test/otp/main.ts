/**
 * `npm run --silent play -- FILE.json`: prints only the trace of a scenario on our supervisor to
 * stdout.
 */
import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describeError } from '../../src/base/errors.ts';
import { playScenario } from './play.ts';
import { readScenario } from './scenario.ts';

/** npm runs scripts in the folder of the package; INIT_CWD is the folder where it was called. */
function locate(file: string): string {
  return existsSync(file) ? file : resolve(process.env['INIT_CWD'] ?? '.', file);
}

const [file] = process.argv.slice(2);
try {
  if (file === undefined) throw new TypeError('name the file of a scenario');
  const trace = await playScenario(readScenario(JSON.parse(readFileSync(locate(file), 'utf8'))));
  process.stdout.write(trace.map((line) => `${line}\n`).join(''));
} catch (error) {
  process.stderr.write(`${describeError(error)}\n`);
  process.exitCode = 2;
}
