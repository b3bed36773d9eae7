import assert from 'node:assert/strict';
import { chmod, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { describe, test } from 'node:test';
import { beginAttempt } from '../../test/support/attempt-harness.ts';
import { tempDir } from '../../test/support/temp-dir.ts';

const SAYS = `echo '{"type":"assistant.message","data":{"content":"hm"}}'`;

/** A Copilot that writes its arguments down and does what it is told. */
async function copilotIn(dir: string, does: string) {
  const program = join(dir, 'copilot');
  await writeFile(program, `#!/bin/sh\nprintf '%s\\n' "$@" >args.txt\n${does}\n`);
  await chmod(program, 0o755);
  const env = { PATH: `${dir}${delimiter}${process.env['PATH'] ?? ''}` };
  return { id: 'copilot', cli: 'copilot', args: [], env };
}

describe('D7: a CLI that names its conversation only at its end', { timeout: 300_000 }, () => {
  test('gets a name, which is recorded as soon as the agent works', async () => {
    await using dir = await tempDir();
    const agent = await copilotIn(dir.path, `${SAYS}\ncat args.txt\nexit 1`);
    const attempt = beginAttempt(dir.path, 'crashes', { agent });
    const outcome = await attempt.whole;
    const session = outcome.kind === 'stopped' ? null : outcome.session;
    assert.match(session ?? '', /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-a[0-9a-f]{3}-[0-9a-f]{12}$/);
    assert.ok((await attempt.stdout()).includes(`--session-id\n${session}`));
    assert.ok(
      attempt.notes.some((note) => note['kind'] === 'session' && note['session'] === session),
    );
  });

  test('continues under the name that it had', async () => {
    await using dir = await tempDir();
    const agent = await copilotIn(dir.path, `${SAYS}\ncat args.txt\nexit 1`);
    const attempt = beginAttempt(dir.path, 'crashes', { agent, resume: 'earlier-one' });
    const outcome = await attempt.whole;
    assert.equal(outcome.kind === 'stopped' ? null : outcome.session, 'earlier-one');
    assert.match(await attempt.stdout(), /--resume=earlier-one/);
  });

  test('has no name if the agent ends before its first event', async () => {
    await using dir = await tempDir();
    const agent = await copilotIn(dir.path, 'echo "No session, task, or name matched" >&2\nexit 1');
    const outcome = await beginAttempt(dir.path, 'crashes', { agent, resume: 'gone' }).whole;
    assert.equal(outcome.kind === 'stopped' ? '' : outcome.session, null);
  });
});
