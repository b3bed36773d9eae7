/** `npm run --silent play -- FILE.json`: the trace of a scenario on our supervisor, and nothing else, on stdout. */
import { readFileSync } from 'node:fs';
import { describeError } from '../../src/base/errors.ts';
import { play } from './play.ts';
import { readScenario } from './scenario.ts';

const [file] = process.argv.slice(2);
try {
  if (file === undefined) throw new TypeError('name the file of a scenario');
  const trace = await play(readScenario(JSON.parse(readFileSync(file, 'utf8'))));
  process.stdout.write(trace.map((line) => `${line}\n`).join(''));
} catch (error) {
  process.stderr.write(`${describeError(error)}\n`);
  process.exitCode = 2;
}
