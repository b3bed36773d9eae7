import assert from 'node:assert/strict';
import { mkdir, readFile, rename, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { isRefusal } from '../base/errors.ts';
import { tempDir } from '../../test/support/temp-dir.ts';
import { systemClock } from '../host/machine/system-clock.ts';
import { homeAt } from '../host/machine/state-home.ts';
import { seededRandom } from '../base/random.ts';
import type { OwnerOptions } from './owner-options.ts';
import { AgentTable } from './agent-table-file.ts';
import type { AgentTableChange, AgentTableView } from '../protocol/views/agent-table.ts';

const CONFIG = `# My agents.
agents:
  - id: deep   # paid by the company
    cli: claude
    model: opus
  - {id: mine, cli: custom, command: [./agent.sh], env: {MODE: quick}}
selection: {fallbacks: {deep: mine}}
`;

type WithTable = AsyncDisposable & { readonly dir: string; readonly table: AgentTable };

/** `config`: the text of the file. Absent: there is none. */
async function withTable(config?: string): Promise<WithTable> {
  const dir = await tempDir();
  if (config !== undefined) await writeFile(join(dir.path, 'config.yaml'), config);
  const options = { home: homeAt(dir.path, dir.path), clock: systemClock, random: seededRandom(1) };
  const table = new AgentTable({ ...options, env: {}, agentEnv: {} } as unknown as OwnerOptions);
  return { dir: dir.path, table, [Symbol.asyncDispose]: () => dir[Symbol.asyncDispose]() };
}

/** The table as it is, as a change of nothing. */
function asIs({ version, rows, mode, fallbacks, pinned }: AgentTableView): AgentTableChange {
  const kept = rows.map(({ id, cli, model, configDir }, was) => ({
    id,
    cli,
    model,
    configDir,
    was,
  }));
  return { version, rows: kept, mode, fallbacks, pinned };
}

describe('the table of agents', { timeout: 120_000 }, () => {
  test('shows the agents of the file, and of other keys only the names', async () => {
    await using given = await withTable(CONFIG);
    const { rows, mode, fallbacks } = await given.table.view();
    assert.deepEqual(rows, [
      { id: 'deep', cli: 'claude', model: 'opus', configDir: null, others: [] },
      { id: 'mine', cli: 'custom', model: null, configDir: null, others: ['command', 'env'] },
    ]);
    assert.deepEqual([mode, fallbacks], ['fallback', { deep: 'mine' }]);
  });

  test('writes a change with the comments of the file, and nothing if there is none', async () => {
    await using given = await withTable(CONFIG);
    const { table } = given;
    const read = (): Promise<string> => readFile(join(given.dir, 'config.yaml'), 'utf8');
    const before = await table.view();
    const [deep, mine] = asIs(before).rows;
    assert.ok(deep !== undefined && mine !== undefined);
    const fast = { id: 'fast', cli: 'codex', model: null, configDir: null, was: null };
    const after = await table.change({
      ...asIs(before),
      rows: [fast, mine, { ...deep, model: 'sonnet' }],
      fallbacks: { deep: 'fast' },
    });
    const text = await read();
    for (const kept of ['# My agents.', '# paid by the company', 'command: [./agent.sh]'])
      assert.ok(text.includes(kept), `${kept} in ${text}`);
    assert.deepEqual(
      after.rows.map(({ id, model }) => `${id} ${model}`),
      ['fast null', 'mine null', 'deep sonnet'],
    );
    await table.change(asIs(after));
    assert.equal(await read(), text);
  });

  type Wrong = (change: AgentTableChange) => Partial<AgentTableChange>;
  const row = { cli: 'codex', model: null, configDir: null, was: null };
  const wrong: [why: string, change: Wrong, code: string][] = [
    ['an old version', () => ({ version: 'x' }), 'config.busy'],
    [
      'a name that no agent can have',
      ({ rows }) => ({ rows: [...rows, { ...row, id: '1 2' }] }),
      'config.invalid',
    ],
    ['a name twice', ({ rows }) => ({ rows: [...rows, { ...row, id: 'deep' }] }), 'config.invalid'],
    [
      'an unknown CLI',
      ({ rows }) => ({ rows: [...rows, { ...row, id: 'a', cli: 'sh' }] }),
      'config.invalid',
    ],
    [
      'a new custom agent',
      ({ rows }) => ({ rows: [...rows, { ...row, id: 'a', cli: 'custom' }] }),
      'config.invalid',
    ],
    [
      'a CLI that becomes a program',
      ({ rows }) => ({ rows: rows.map((one) => ({ ...one, cli: 'custom' })) }),
      'config.invalid',
    ],
    [
      'a folder that no agent of the file has',
      ({ rows }) => ({ rows: rows.map((one) => ({ ...one, configDir: '/tmp/of-a-page' })) }),
      'config.invalid',
    ],
    ['a fallback to nothing', () => ({ fallbacks: { deep: 'gone' } }), 'config.invalid'],
    ['an unknown mode', () => ({ mode: 'dice' }), 'config.invalid'],
    [
      'an agent that others fall back to, removed',
      ({ rows }) => ({ rows: rows.slice(0, 1) }),
      'config.invalid',
    ],
  ];
  for (const [why, change, code] of wrong)
    test(`refuses ${why}, and writes nothing`, async () => {
      await using given = await withTable(CONFIG);
      const before = asIs(await given.table.view());
      const asked = given.table.change({ ...before, ...change(before) });
      await assert.rejects(
        asked,
        (error) => isRefusal(error, code as never) || assert.fail(String(error)),
      );
      assert.equal(await readFile(join(given.dir, 'config.yaml'), 'utf8'), CONFIG);
    });

  test('keeps a link to a file elsewhere', async () => {
    await using given = await withTable(CONFIG);
    const [file, folder] = [join(given.dir, 'config.yaml'), join(given.dir, 'dotfiles')];
    await mkdir(folder);
    await rename(file, join(folder, 'supervisor.yaml'));
    await symlink(join(folder, 'supervisor.yaml'), file);
    const before = asIs(await given.table.view());
    await given.table.change({ ...before, mode: 'round-robin' });
    assert.match(await readFile(join(folder, 'supervisor.yaml'), 'utf8'), /mode: round-robin/);
  });

  test('begins with no file', async () => {
    await using given = await withTable();
    const { version, rows } = await given.table.view();
    assert.deepEqual(rows, []);
    const first = [{ ...row, id: 'first' }];
    const change = { version, rows: first, mode: 'fallback', fallbacks: {}, pinned: null };
    const { rows: after } = await given.table.change(change);
    assert.equal(after[0]?.id, 'first');
  });

  test('is tested: each agent says whether it could work now', async () => {
    await using given = await withTable(
      'agents: [{id: a, cli: scripted}, {id: b, cli: custom, command: [there-is-no-such-program]}]\n',
    );
    const { agents } = await given.table.test([], new AbortController().signal);
    assert.deepEqual(
      agents.map(({ id, state }) => [id, state]),
      [
        ['a', 'ok'],
        ['b', 'missing'],
      ],
    );
  });
});
