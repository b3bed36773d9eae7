/** A node:test reporter for a person: what failed and where, what tests say of themselves, no more. */
import { relative } from 'node:path';
import { inspect } from 'node:util';

const SUMMARY = /^(tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) [\d.]+$/;
const RUNNER_FRAME = /^\s+at .*(node:internal|node:async_hooks|async Promise\.all).*[^{]$/;

// oxlint-disable-next-line import/no-default-export -- node:test asks a reporter for one
export default async function* reportFailures(events) {
  const path = [];
  for await (const { type, data } of events) {
    if (type === 'test:start') path.length = Math.min(path.length, data.nesting);
    if (type === 'test:start') path[data.nesting] = data.name;
    if (type === 'test:stdout' || type === 'test:stderr') yield data.message;
    if (type === 'test:diagnostic' && !SUMMARY.test(data.message)) yield `  ${data.message}\n`;
    if (type === 'test:fail') yield* failure(data, path);
  }
}

function* failure({ name, nesting, file, line, details }, path) {
  const { error } = details;
  if (error.failureType === 'subtestsFailed') return; // each of them speaks for itself
  const cause = error.cause === undefined ? error : error.cause;
  const where = file === undefined ? '' : ` (${relative(process.cwd(), file)}:${line})`;
  const title = [...path.slice(0, nesting), name].join(' › ');
  const text = typeof cause === 'string' ? cause : inspect(cause, { depth: 8 });
  const lines = text.split('\n').filter((line) => !RUNNER_FRAME.test(line));
  yield `✖ ${title}${where}\n${lines.map((line) => `    ${line}\n`).join('')}`;
}
