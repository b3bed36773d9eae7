/** A project's own preflight script, as the guide shows it, in a real sandbox. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { isRefusal } from '../../src/base/errors.ts';
import { which } from '../../src/host/process/which.ts';
import { eventually } from '../support/eventually.ts';
import { trustProject } from '../support/trust-project.ts';
import { namesBelow } from '../names-below.ts';
import { resultOf, SandboxedHarness } from '../real/sandboxed-harness.ts';

const missing = which('bwrap', process.env) === undefined;
const skip = missing && process.env['CI'] === undefined ? 'missing: bubblewrap' : false;

/** A project whose trusted script records that it ran, and an agent of the user. */
async function harnessWith(
  agent: string,
  script = 'echo trusted >>made.txt\n',
): Promise<SandboxedHarness> {
  const agents = [{ id: 'mine', cli: 'custom', command: ['sh', '-c', agent] }];
  const gates = [{ name: 'made', command: ['grep', '-q', 'trusted', 'made.txt'] }];
  const at = await SandboxedHarness.create({ config: { agents, gates } });
  await mkdir(join(at.project, '.supervisor'));
  await writeFile(
    join(at.project, '.supervisor/config.yaml'),
    'sandbox: {preflight: [./.supervisor/pre.sh]}\n',
  );
  await writeFile(join(at.project, '.supervisor/pre.sh'), script);
  await trustProject(at.home, at.project);
  return at;
}

async function trees(at: SandboxedHarness): Promise<readonly string[]> {
  return (await namesBelow(at.home)).filter((name) => name.endsWith('/work/begun'));
}

describe("a project's preflight script", { skip, timeout: 300_000 }, () => {
  test('prepares the tree for the agent and for the gate', async () => {
    await using at = await harnessWith('cat made.txt');
    const facts = await at.factsOf(await at.submit('mine', { once: true }));
    assert.deepEqual(facts.at(-1)?.payload, {
      outcome: { kind: 'succeeded', reason: 'trusted' },
    });
  });

  test('is the one that the user trusted, even if file and tree have another one by now', async () => {
    await using at = await harnessWith(`
      test -e begun && { cat made.txt; exit 0; }
      echo 'echo forged >>made.txt' >.supervisor/pre.sh; touch begun; sleep 600`);
    const run = await at.submit('mine');
    await eventually('its first traces', async () => (await trees(at)).length > 0);
    await at.closeOwner();
    const file = join(at.project, '.supervisor/pre.sh');
    await writeFile(file, 'echo changed >>made.txt\n');
    await at.openOwner();
    await at.factsOf(run);
    assert.match((await at.client.diff(run)).text, /^\+trusted\n\+trusted$/m);
    assert.doesNotMatch((await at.client.diff(run)).text, /^\+(changed|forged)$/m);
    const again = await at.submit('mine').catch((error: unknown) => error);
    assert.ok(isRefusal(again, 'project.untrusted'), String(again));
    assert.ok(existsSync(file));
  });

  test('that fails ends the run with its name, before any agent starts', async () => {
    await using at = await harnessWith('true', 'false\n');
    const facts = await at.factsOf(await at.submit('mine', { once: true }));
    assert.ok(
      !facts.some(({ type, payload }) => type === 'command.begun' && payload.command === 'attempt'),
    );
    const last = facts.at(-1);
    assert.ok(last?.type === 'run.ended');
    assert.equal(last.payload.outcome.kind, 'refused');
    assert.match(
      last.payload.outcome.reason,
      /The preflight script \.\/\.supervisor\/pre\.sh failed/,
    );
  });

  test('that fails ends the attempt with its name if no gate ran before', async () => {
    await using at = await harnessWith('true', 'false\n');
    const set = ['baseline=false'];
    const facts = await at.factsOf(await at.submit('mine', { once: true, set }));
    const { reason, message } = resultOf(facts);
    assert.equal(reason, 'start_refused');
    assert.match(String(message), /the preflight script \.\/\.supervisor\/pre\.sh failed/);
  });
});
