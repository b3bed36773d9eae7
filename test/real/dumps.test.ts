/** On each error Gemini writes the whole conversation into the folder for temporary files. */
import assert from 'node:assert/strict';
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { ModelServer } from '../../src/testing/model-server/model-server.ts';
import { makePlace, runCli } from './run-cli.ts';
import { resultOf, SECRET } from './sandboxed-harness.ts';
import { harnessFor, isMissing } from './sandboxed-clis.ts';

const TIMEOUT_MS = 240_000;

async function dumpsIn(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder);
  return names.filter((name) => name.startsWith('gemini-client-error'));
}

test(
  '13: the conversation dumps of Gemini stay in its sandbox',
  { timeout: TIMEOUT_MS },
  async (t) => {
    if (isMissing(t, 'gemini')) return;
    const script = { steps: [{ text: 'Never said.' }] };
    const faults = [{ fault: { kind: 'context-overflow' } as const }];
    await using server = await ModelServer.start({ keys: [SECRET], script, faults });
    // Without a sandbox the dump is there; otherwise this test would prove nothing.
    await using place = await makePlace();
    const folder = join(place.home, 'tmp');
    await mkdir(folder);
    const env = { TMPDIR: folder, GEMINI_API_KEY: SECRET };
    await runCli('gemini', 'Say nothing of it.', place, server.url, undefined, { env });
    const [dump = assert.fail('it dumped nothing')] = await dumpsIn(folder);
    assert.match(await readFile(join(folder, dump), 'utf8'), /Say nothing of it\./);

    const before = new Set(await dumpsIn(tmpdir()));
    await using at = await harnessFor(['gemini'], server.url);
    const facts = await at.factsOf(await at.submit('gemini'));
    assert.equal(resultOf(facts)['reason'], 'context_overflow');
    const after = await dumpsIn(tmpdir());
    assert.deepEqual(
      after.filter((name) => !before.has(name)),
      [],
    );
  },
);
