/**
 * Gates with real work, real git and a real sandbox, and with agents that try to avoid judgement.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdir, readdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { describe, test } from 'node:test';
import { GATE_TAIL_CHARS_MAX } from '../../src/attempts/gates/gate-outcome.ts';
import { Refusal } from '../../src/base/errors.ts';
import { processTable } from '../../src/host/process/process-table.ts';
import { which } from '../../src/host/process/which.ts';
import { GateHarness } from './gate-harness.ts';
import type { GateOutcome } from '../../src/protocol/contracts/gate-contract.ts';

const TIMEOUT = { timeout: 300_000 };

function isMissing(t: TestContext): boolean {
  if (which('bwrap', process.env) !== undefined) return false;
  if (process.env['CI'] !== undefined) assert.fail('missing: bubblewrap');
  t.skip('missing: bubblewrap');
  return true;
}

const passed: GateOutcome = { kind: 'passed', name: 'check' };
const sh = (script: string): readonly string[] => ['sh', '-c', script];

/** Without the command, a table would not show which row failed. */
async function verdict(harness: GateHarness, command: readonly string[]): Promise<GateOutcome> {
  return (await harness.judge(command)).outcome;
}

describe('a gate judges the saved work of its attempt', TIMEOUT, () => {
  const cases: [why: string, base: string, work: string, script: string][] = [
    ['the work', 'echo 1 >a', 'echo 2 >a', 'grep -q 2 a'],
    ['what is gone from it', 'echo 1 >a', 'rm a', 'test ! -e a'],
    [
      'nothing that its rules leave out',
      'echo built >.gitignore',
      'mkdir built; echo ok >built/marker',
      'test ! -e built',
    ],
    [
      'a repository that knows its files',
      'echo 1 >a',
      'echo 2 >b',
      'test "$(git ls-files | tr "\\n" " ")" = "a b " && git diff --quiet HEAD',
    ],
    ['an empty home that it may write to', 'true', 'true', 'test -z "$(ls -A ~)" && echo 1 >~/a'],
  ];
  for (const [why, base, work, script] of cases)
    test(why, async (t) => {
      if (isMissing(t)) return;
      await using harness = await GateHarness.create(base, work);
      assert.deepEqual(await verdict(harness, sh(script)), passed);
    });

  test('and not later changes to the tree', async (t) => {
    if (isMissing(t)) return;
    await using harness = await GateHarness.create('echo 1 >a', 'echo good >a');
    await writeFile(join(harness.work, 'a'), 'bad\n');
    assert.deepEqual(await verdict(harness, sh('grep -q good a')), passed);
  });

  test('or the project itself if the agent worked in it, and changes nothing there', async (t) => {
    if (isMissing(t)) return;
    await using harness = await GateHarness.create('echo 1 >a');
    await writeFile(join(harness.project, 'a'), 'changed\n');
    assert.deepEqual(await verdict(harness, sh('grep -q changed a && echo mine >b')), passed);
    assert.deepEqual(await readdir(harness.project), ['.git', 'a']);
  });

  test('each in a new copy, and leaves nothing behind', async (t) => {
    if (isMissing(t)) return;
    await using harness = await GateHarness.create('echo 1 >a', 'echo 2 >a');
    const mess = 'mkdir -p deep/er; chmod 500 deep; (setsid sleep 1000 >/dev/null 2>&1 &); true';
    assert.deepEqual(await verdict(harness, sh(mess)), passed);
    assert.deepEqual(await verdict(harness, sh('test ! -e deep')), passed);
    const [project = ''] = await readdir(join(harness.home, 'projects'));
    assert.deepEqual(await readdir(join(harness.home, 'projects', project, 'scratch')), []);
    const rows = await processTable.rows();
    const tags = [...(await processTable.tags(rows)).values()];
    assert.deepEqual(
      tags.filter((tag) => tag.startsWith(harness.tag)),
      [],
    );
  });

  test('its output is stored, its end is reported', async (t) => {
    if (isMissing(t)) return;
    await using harness = await GateHarness.create('echo 1 >a', 'echo 2 >a');
    const { outcome, output, notes } = await harness.judge(sh('echo out; echo err >&2; exit 3'));
    assert.deepEqual(outcome, { kind: 'failed', name: 'check', exit: 3, tail: 'out\nerr' });
    assert.equal(output, 'out\nerr\n');
    const [judges = {}, started = {}] = notes;
    assert.match(JSON.stringify(judges['commit']), /^"[0-9a-f]{40}"$/);
    const { files, network, user } = started['enforced'] as Record<string, unknown>;
    assert.deepEqual(
      [started['sandbox'], files, network, user],
      ['bubblewrap', 'namespace', 'namespace', 'ordinary'],
    );
  });

  test('without secrets, in its output and in its end', async (t) => {
    if (isMissing(t)) return;
    await using harness = await GateHarness.create('echo 1 >a', 'echo 2 >a');
    const [one, two] = [`ghp_${'a1B2'.repeat(4)}`, 'a1B2'.repeat(5)];
    const { outcome, output } = await harness.judge(sh(`echo ${one}''${two}; exit 1`));
    assert.deepEqual(
      [outcome.kind === 'failed' && outcome.tail, output],
      ['[redacted]', '[redacted]\n'],
    );
  });
});

test('output that looks like a secret is not stored', TIMEOUT, async (t) => {
  if (isMissing(t)) return;
  const secret = `ghp_${'aB3dE6gH9'.repeat(4)}`;
  await using harness = await GateHarness.create('true', `echo ${secret} >a`);
  const { outcome, output } = await harness.judge(sh('cat a; exit 1'));
  assert.ok(outcome.kind === 'failed');
  assert.doesNotMatch(outcome.tail + output, new RegExp(secret));
  assert.match(outcome.tail, /redacted/);
});

describe('case 9: a definition that the agent changed does not count', TIMEOUT, () => {
  const pkg = (test: string): string =>
    `echo '{"name":"x","scripts":{"test":"${test}"}}' >package.json`;
  const cases: [
    why: string,
    base: string,
    work: string,
    command: readonly string[],
    file: string,
  ][] = [
    ['npm test becomes true', pkg('exit 7'), pkg('true'), ['npm', 'test'], 'package.json'],
    [
      'npm is told of another shell',
      `${pkg('exit 7')}; echo >.npmrc`,
      'echo script-shell=/usr/bin/true >.npmrc',
      ['npm', 'test'],
      '.npmrc',
    ],
    [
      'the script says yes',
      "printf '#!/bin/sh\\nexit 7\\n' >check.sh; chmod +x check.sh",
      "printf '#!/bin/sh\\nexit 0\\n' >check.sh",
      ['./check.sh'],
      'check.sh',
    ],
    [
      'a program does',
      "echo 'process.exit(7)' >check.js",
      'rm check.js; mkdir check.js; echo 1 >check.js/index.js',
      ['node', 'check.js'],
      'check.js',
    ],
    [
      'the Makefile is hidden behind another',
      "printf 'test:\\n\\texit 7\\n' >Makefile",
      "printf 'test:\\n\\ttrue\\n' >GNUmakefile",
      ['make', 'test'],
      'GNUmakefile',
    ],
  ];
  for (const [why, base, work, command, file] of cases)
    test(why, async (t) => {
      if (isMissing(t)) return;
      if (which(command[0] ?? '', process.env) === undefined && !command[0]?.startsWith('./'))
        return t.skip(`missing: ${command[0]}`);
      await using harness = await GateHarness.create(base, work);
      const { outcome, notes } = await harness.judge(command);
      assert.ok(outcome.kind === 'failed', JSON.stringify(outcome));
      assert.notEqual(outcome.exit, 0);
      assert.deepEqual(outcome.restored, [file]);
      assert.deepEqual(notes[0]?.['restored'], [file]);
      assert.match(outcome.tail, new RegExp(`defined by ${file.replaceAll('.', '\\.')}`));
    });

  const bypasses: [
    why: string,
    base: string,
    work: string,
    command: readonly string[],
    program: string,
  ][] = [
    [
      'a script behind a link',
      "mkdir t; printf '#!/bin/sh\\nexit 7\\n' >t/c.sh; chmod +x t/c.sh; ln -s t/c.sh check; ln -s t u",
      "printf '#!/bin/sh\\n' >t/c.sh",
      sh('./check && u/c.sh'),
      'sh',
    ],
    ['a new .npmrc', pkg('exit 7'), 'echo script-shell=/bin/true >.npmrc', ['npm', 'test'], 'npm'],
    [
      'a script behind cd',
      "mkdir app; printf '#!/bin/sh\\nexit 7\\n' >app/c.sh; chmod +x app/c.sh",
      "printf '#!/bin/sh\\n' >app/c.sh",
      sh('cd app && ./c.sh'),
      'sh',
    ],
    [
      'a sourced file',
      "printf '#!/bin/sh\\n. ./lib.sh\\ncheck\\n' >c.sh; chmod +x c.sh; echo 'check() { exit 7; }' >lib.sh",
      "echo 'check() { :; }' >lib.sh",
      ['./c.sh'],
      'sh',
    ],
    [
      'a module in place of the runner',
      "printf 'import unittest\\nclass T(unittest.TestCase):\\n  def test_a(self): self.fail()\\n' >test_a.py",
      'echo >unittest.py',
      ['python3', '-m', 'unittest'],
      'python3',
    ],
    [
      'a link in place of a script',
      "mkdir ci; printf '#!/bin/sh\\nexit 7\\n' >ci/c.sh; chmod +x ci/c.sh",
      'rm ci/c.sh; ln -s /bin/true ci/c.sh',
      ['ci/c.sh'],
      'sh',
    ],
    [
      'a link in place of a folder',
      "mkdir ci; printf '#!/bin/sh\\nexit 7\\n' >ci/c.sh; chmod +x ci/c.sh",
      "rm -r ci; mkdir other; printf '#!/bin/sh\\n' >other/c.sh; chmod +x other/c.sh; ln -s other ci",
      ['ci/c.sh'],
      'sh',
    ],
  ];
  for (const [why, base, work, command, program] of bypasses)
    test(`H5: nor does ${why}`, async (t) => {
      if (isMissing(t)) return;
      if (which(program, process.env) === undefined) return t.skip(`missing: ${program}`);
      await using harness = await GateHarness.create(base, work);
      const outcome = await verdict(harness, command);
      assert.equal(outcome.kind, 'failed', JSON.stringify(outcome));
    });

  test('and sound work passes by the definition of the base, which the record names', async (t) => {
    if (isMissing(t)) return;
    await using harness = await GateHarness.create(
      `${pkg('grep -q 2 a')}; echo 1 >a`,
      `${pkg('true')}; echo 2 >a`,
    );
    assert.deepEqual(await verdict(harness, ['npm', 'test']), {
      ...passed,
      restored: ['package.json'],
      protectedFiles: [{ path: 'package.json', why: 'a manifest whose scripts or hooks changed' }],
    });
  });

  test('case 9: nor does a changed file that a script of the base starts', async (t) => {
    if (isMissing(t)) return;
    await using harness = await GateHarness.create(
      `${pkg('node tools/run.js')}; mkdir tools; echo 'process.exit(7)' >tools/run.js`,
      "echo 'process.exit(0)' >tools/run.js",
    );
    const outcome = await verdict(harness, ['npm', 'test']);
    assert.ok(outcome.kind === 'failed' && outcome.restored?.[0] === 'tools/run.js');
  });

  test('case 9: nor do programs that the agent installs in secret', async (t) => {
    if (isMissing(t)) return;
    const fake = "printf '#!/bin/sh\\n' >node_modules/.bin/no-such-checker";
    await using harness = await GateHarness.create(
      `${pkg('no-such-checker')}; echo node_modules >.gitignore`,
      `rm .gitignore; mkdir -p node_modules/.bin; ${fake}; chmod +x node_modules/.bin/*`,
    );
    assert.equal((await verdict(harness, ['npm', 'test'])).kind, 'unable');
  });

  test('and work that breaks its own check is red, even if the old check is green', async (t) => {
    if (isMissing(t)) return;
    await using harness = await GateHarness.create(
      'echo >check.js',
      "echo 'process.exit(7)' >check.js",
    );
    const { outcome, notes } = await harness.judge(['node', 'check.js']);
    assert.ok(outcome.kind === 'failed' && outcome.exit === 7);
    assert.match(
      outcome.tail,
      /passes with check\.js from before the work, but not with the version of the work/,
    );
    assert.deepEqual(
      notes.flatMap(({ kind, definition }) => (kind === 'judges' ? [definition] : [])),
      ['of-base', 'of-work'],
    );
  });

  test('a program that only the agent has written is no check', async (t) => {
    if (isMissing(t)) return;
    await using harness = await GateHarness.create(
      'true',
      "printf '#!/bin/sh\\n' >ok.sh; chmod +x ok.sh",
    );
    assert.equal((await verdict(harness, ['./ok.sh'])).kind, 'unable');
  });
});

describe('a gate is limited', TIMEOUT, () => {
  test('case 24: it has no network', async (t) => {
    if (isMissing(t)) return;
    let hits = 0;
    const canary = createServer((socket) => {
      hits += 1;
      socket.destroy();
    }).listen(0, '127.0.0.1');
    await once(canary, 'listening');
    const address = canary.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    try {
      await using harness = await GateHarness.create('true', 'true');
      const script = `node -e 'require("node:net").connect(${port}, "127.0.0.1").on("connect", () => process.exit(0)).on("error", () => process.exit(9))'`;
      const outcome = await verdict(harness, sh(script));
      assert.deepEqual([outcome.kind, 'exit' in outcome && outcome.exit, hits], ['failed', 9, 0]);
    } finally {
      canary.close();
    }
  });

  test('to its own tree: it can neither write nor see anything else', async (t) => {
    if (isMissing(t)) return;
    await using harness = await GateHarness.create('true', 'true');
    await mkdir(join(harness.root, 'user'));
    await writeFile(join(harness.root, 'user', 'secret'), 'canary');
    await chmod(harness.root, 0o755);
    const outside = join(harness.root, 'outside');
    // If it may write elsewhere, that is a folder in memory that only it sees.
    const script = `echo 1 >${outside}; ! echo 1 2>/dev/null >/usr/x && ! cat ${harness.root}/user/secret && ! ls ${harness.home}/outputs ${harness.project}`;
    const { outcome, output } = await harness.judge(sh(script));
    assert.deepEqual([outcome, existsSync(outside)], [passed, false]);
    assert.doesNotMatch(output, /canary/);
  });

  test('to its time', async (t) => {
    if (isMissing(t)) return;
    await using harness = await GateHarness.create('true', 'true');
    const script = "trap '' TERM; echo begun; while :; do sleep 1; done";
    const { outcome } = await harness.judge(sh(script), { timeoutMs: 1000 });
    assert.deepEqual(outcome, {
      kind: 'failed',
      name: 'check',
      exit: null,
      tail: 'begun\nran longer than its limit of 1 s',
      timedOut: true,
    });
  });

  test('to a bounded output, of which it shows the end', async (t) => {
    if (isMissing(t)) return;
    await using harness = await GateHarness.create('true', 'true');
    const { outcome, output } = await harness.judge(
      sh('head -c 20000000 /dev/zero | tr "\\0" x; echo; echo the end; exit 1'),
    );
    assert.ok(outcome.kind === 'failed');
    assert.ok(outcome.tail.length <= GATE_TAIL_CHARS_MAX && output.length < 3_000_000);
    assert.match(outcome.tail, /x\nthe end$/);
  });

  test('also when it is cancelled', async (t) => {
    if (isMissing(t)) return;
    await using harness = await GateHarness.create('true', 'true');
    const { outcome } = await harness.judge(sh('sleep 1000'), {
      cancelSignal: AbortSignal.timeout(1500),
    });
    assert.deepEqual(outcome, { kind: 'unable', name: 'check', why: 'it was cancelled' });
  });
});

describe('a gate that can not run is red', TIMEOUT, () => {
  test('without a sandbox, with the remedy', async () => {
    await using harness = await GateHarness.create('true', 'true');
    const { outcome } = await harness.judge(['true'], {
      choose: () => {
        throw new Refusal({
          code: 'sandbox.unavailable',
          message: 'No sandbox holds here.',
          hint: 'Install bubblewrap.',
        });
      },
    });
    assert.deepEqual(outcome, {
      kind: 'unable',
      name: 'check',
      why: 'No sandbox holds here. Install bubblewrap.',
    });
  });

  test('when the work could not be committed', async () => {
    await using harness = await GateHarness.create('true', 'true');
    const saved = { kind: 'not-committed', message: 'too large' } as const;
    const { outcome } = await harness.judge(['true'], { kept: saved });
    assert.deepEqual(outcome, {
      kind: 'unable',
      name: 'check',
      why: 'what attempt 1 did could not be kept: too large',
    });
  });

  test('when its program is missing', async (t) => {
    if (isMissing(t)) return;
    await using harness = await GateHarness.create('true', 'true');
    const outcome = await verdict(harness, ['no-such-program-here', 'x']);
    assert.ok(outcome.kind === 'unable');
    assert.match(outcome.why, /no-such-program-here x needs isn't there \(exit 127\)/);
  });
});

test(
  'without a sandbox it runs in the project as it is, and the record says so',
  TIMEOUT,
  async () => {
    await using harness = await GateHarness.create('echo 1 >a');
    const { outcome, notes } = await harness.judge(sh('echo made >b'), { unsafe: true });
    const unprotected = ['it ran without a sandbox, in the project as it was'];
    assert.deepEqual(outcome, { ...passed, unprotected });
    assert.deepEqual((await readdir(harness.project)).toSorted(), ['.git', 'a', 'b']);
    assert.deepEqual(
      notes.map(({ kind, sandbox, commit }) => [kind, sandbox ?? commit]),
      [
        ['judges', null],
        ['started', 'none'],
      ],
    );
  },
);
