import assert from 'node:assert/strict';
import { delimiter, dirname, join } from 'node:path';
import { checkout, run, userEnv } from '../../e2e/shell.ts';

/** With options for a folder of its own, and without the network where npm has what it needs. */
const LINE = String.raw`npm install --global --prefix "$0" --prefer-offline --no-audit --no-fund \
  "$0/$(npm pack --silent --pack-destination "$0")"`;

/** Installs the package as the README does. Returns the folder with the command. */
export async function installSupervisor(dir: string): Promise<string> {
  const env = userEnv({ PATH: [dirname(process.execPath), process.env['PATH']].join(delimiter) });
  const { code, stdout, stderr } = await run(['sh', '-c', LINE, dir], checkout, env);
  assert.equal(code, 0, stdout + stderr);
  return join(dir, 'bin');
}
