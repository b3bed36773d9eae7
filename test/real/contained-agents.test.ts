/** Rules for every contained agent, shown with agents that are a line of shell and not a CLI. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { isRefusal } from '../../src/base/errors.ts';
import { homeAt } from '../../src/host/machine/state-home.ts';
import { which } from '../../src/host/process/which.ts';
import { eventually } from '../support/eventually.ts';
import { notesOf, resultOf, SECRET, SandboxedHarness } from './sandboxed-harness.ts';
import { namesBelow } from '../names-below.ts';

const missing = which('bwrap', process.env) === undefined;
const skip = missing && process.env['CI'] === undefined ? 'missing: bubblewrap' : false;

/** An owner with one agent, `mine`, that runs this script. */
function harnessWith(script: string, env: Record<string, string> = {}): Promise<SandboxedHarness> {
  const agents = [{ id: 'mine', cli: 'custom', command: ['sh', '-c', script], env }];
  return SandboxedHarness.create({ config: { agents } });
}

async function treeOf({ home }: SandboxedHarness): Promise<string> {
  const names = await namesBelow(home);
  return join(home, names.find((name) => name.endsWith('/1/work')) ?? '');
}

async function socketsOf({ home }: SandboxedHarness): Promise<readonly string[]> {
  return (await readdir(home)).filter((name) => name.endsWith('.s'));
}

describe('a contained agent', { skip, timeout: 300_000 }, () => {
  test('continues in its tree and its home after its owner died', async () => {
    const script = `
      test -e begun && { echo again >>"$HOME/diary"; cp "$HOME/diary" diary; echo went on; exit 0; }
      echo first >"$HOME/diary"; touch begun; sleep 600`;
    await using at = await harnessWith(script);
    const run = await at.submit('mine');
    await eventually('its first traces', async () => existsSync(join(await treeOf(at), 'begun')));
    await at.closeOwner();
    assert.deepEqual(await socketsOf(at), []);
    const { id } = homeAt(at.home, at.root);
    await writeFile(join(at.home, `${id.slice(0, 4)}012abc.s`), ''); // files that a killed owner leaves
    await at.openOwner();
    const facts = await at.factsOf(run);
    assert.deepEqual(facts.at(-1)?.payload, {
      outcome: { kind: 'unverified', reason: 'went on' },
    });
    const attempts = facts.filter(
      (fact) => fact.type === 'command.begun' && fact.payload.command === 'attempt',
    );
    assert.equal(attempts.length, 2);
    assert.match((await at.client.diff(run)).text, /^\+first\n\+again$/m);
    assert.deepEqual(await socketsOf(at), []);
  });

  test('has work that commands show, apply and discard', async () => {
    await using at = await harnessWith(
      String.raw`printf 'red \033[31m\n' >new.txt; echo more >>README.md`,
    );
    const run = await at.submit('mine');
    const facts = await at.factsOf(run);
    assert.equal(notesOf(facts, 'committed').length, 1);
    assert.equal(
      await at.type('diff', run, '--stat'),
      '+1 -0          README.md\n+1 -0          new.txt\n2 files\n',
    );
    // An agent's file cannot control the user's terminal.
    assert.match(await at.type('diff', run), /^\+red \\x1b\[31m$/m);
    assert.match(
      await at.type('apply', run, '--branch', 'try'),
      /^applied 2 files on try \([0-9a-f]{12}\)$/m,
    );
    assert.match(await at.type('apply', run, '--branch', 'try'), /^error: .*try/);
    assert.match(await at.type('apply', run), /^applied 2 files to \S.*$/m);
    assert.equal(at.git('status', '--short'), ' M README.md\n?? new.txt\n');
    assert.equal(
      await at.type('discard', run),
      `Workspace of run ${run} deleted. Its work is kept, see it with: supervisor diff ${run}\n`,
    );
  });

  test('leaves its work when it is stopped', async () => {
    await using at = await harnessWith('echo half >half.txt; sleep 600');
    const run = await at.submit('mine');
    await eventually('its trace', async () => existsSync(join(await treeOf(at), 'half.txt')));
    await at.client.signal(run, { kind: 'stop' });
    const facts = await at.factsOf(run);
    assert.deepEqual(resultOf(facts), { kind: 'stopped' });
    assert.deepEqual(
      notesOf(facts, 'committed').map((note) => note['names']),
      [['half.txt']],
    );
  });

  test('is ended when it fills the disk, and the record says so', async () => {
    const script = 'while :; do i=$((i+1)); head -c 2000000 /dev/zero >big$i; sleep 0.05; done';
    await using at = await harnessWith(script);
    const run = await at.submit('mine', { set: ['sandbox.disk=10MB', 'recovery.attempts_max=1'] });
    const result = resultOf(await at.factsOf(run));
    const { evidence } = result['failure'] as { evidence: { source: string; rule: string }[] };
    assert.deepEqual(
      [result['reason'], evidence[0]?.source, evidence[0]?.rule],
      ['killed', 'container', 'container-disk-limit'],
    );
  });

  test('does not get a key that its own settings name', async () => {
    await using at = await harnessWith('env >seen', { OPENAI_API_KEY: SECRET, MINE: 'yes' });
    const run = await at.submit('mine');
    await at.factsOf(run);
    const { text } = await at.client.diff(run);
    assert.match(text, /^\+MINE=yes$/m);
    assert.match(text, /^\+OPENAI_API_KEY=sv-[0-9a-f]{48}$/m);
    assert.doesNotMatch(text, new RegExp(SECRET));
  });

  test('is refused with the remedy if no sandbox works, and there is no run', async () => {
    await using at = await harnessWith('touch ran');
    await assert.rejects(at.submit('mine', { set: ['sandbox.backend=docker'] }), (error) => {
      assert.ok(isRefusal(error));
      const { message, hint = '' } = error.data;
      assert.match(`${message} ${hint}`, /^No sandbox holds on this machine.*--unsafe-no-sandbox/);
      return true;
    });
    assert.deepEqual(await at.client.runs({}), []);
  });

  test('runs without a sandbox if the user asks for it, and the record says so', async () => {
    await using at = await harnessWith('touch ran');
    const facts = await at.factsOf(await at.submit('mine', { unsafe: true }));
    assert.deepEqual(
      notesOf(facts, 'started').map((note) => note['sandbox']),
      ['none'],
    );
    assert.equal(existsSync(join(at.project, 'ran')), true);
  });

  test('does not start if a script that prepares its environment fails', async () => {
    await using at = await harnessWith('test -e ready && touch ran');
    const [good, bad] = [join(at.root, 'good.sh'), join(at.root, 'bad.sh')];
    await writeFile(good, 'touch ready\n', { mode: 0o755 });
    await writeFile(bad, 'exit 3\n', { mode: 0o755 });
    const ran = await at.submit('mine', { set: [`sandbox.preflight=["${good}"]`] });
    await at.factsOf(ran);
    assert.equal((await at.client.diff(ran)).files.length, 2);
    const not = await at.submit('mine', { set: [`sandbox.preflight=["${good}","${bad}"]`] });
    const { reason, message } = resultOf(await at.factsOf(not));
    assert.equal(reason, 'start_refused');
    assert.match(String(message), /bad\.sh failed/);
  });
});
