import assert from 'node:assert/strict';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { RunId } from '../../base/ids.ts';
import type { AttemptInput } from '../../protocol/contracts/attempt-contract.ts';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { agentHome, copyConversation, folderOfConversation } from './continued-home.ts';

const [NEW, BEFORE, FIRST] = ['a000000000', 'b000000000', 'c000000000'] as const;
const AGENT = { id: 'main:one', cli: 'claude', args: [], env: {} };
const CONTINUES = { run: BEFORE, folderOf: FIRST };
const INPUT: Pick<AttemptInput, 'why' | 'agent' | 'continues'> = {
  why: { kind: 'continued', run: BEFORE },
  agent: AGENT,
  continues: CONTINUES,
};

describe('the folder in which an agent sees its tree', () => {
  const id = { home: '/state', root: '/app', run: NEW as RunId, attempt: 1 };
  const shown = (
    given: Parameters<typeof folderOfConversation>[0],
    backend: 'bubblewrap' | 'seatbelt',
  ) => folderOfConversation(given, { id }, backend);

  test('is the folder of the run that began the conversation', () => {
    const path = shown({ continues: CONTINUES }, 'bubblewrap') ?? '';
    assert.ok(path.startsWith('/state/') && path.endsWith(`/trees/${FIRST}/1/work`), path);
  });

  const own: [why: string, path: string | undefined][] = [
    ['is its own if it continues none', shown({}, 'bubblewrap')],
    ['is its own in Seatbelt', shown({ continues: CONTINUES }, 'seatbelt')],
    [
      'is its own if that run has no name of a run',
      shown({ continues: { ...CONTINUES, folderOf: '../../etc' } }, 'bubblewrap'),
    ],
  ];
  for (const [why, path] of own) test(why, () => assert.equal(path, undefined));
});

describe('the home of a run that continues a conversation', () => {
  test('is a copy of the home of the run before, which keeps its own', async () => {
    await using dir = await tempDir();
    const [before, home] = [agentHome(dir.path, BEFORE, AGENT), agentHome(dir.path, NEW, AGENT)];
    await mkdir(before, { recursive: true });
    await writeFile(join(before, 'session'), 'hello');
    const at = { stateDir: dir.path, home, shown: '/there' };
    assert.equal(await copyConversation(INPUT, at), true);
    await writeFile(join(home, 'session'), 'more');
    assert.equal(await readFile(join(before, 'session'), 'utf8'), 'hello');
    assert.equal(await copyConversation(INPUT, at), true);
    assert.equal(await readFile(join(home, 'session'), 'utf8'), 'more');
  });

  test('has no conversation if that home is gone, or its folder cannot be shown', async () => {
    await using dir = await tempDir();
    const at = { stateDir: dir.path, home: agentHome(dir.path, NEW, AGENT), shown: '/there' };
    assert.equal(await copyConversation(INPUT, at), false);
    await mkdir(agentHome(dir.path, BEFORE, AGENT), { recursive: true });
    assert.equal(await copyConversation(INPUT, { ...at, shown: undefined }), false);
  });

  test('is left alone by every other attempt', async () => {
    await using dir = await tempDir();
    const at = { stateDir: dir.path, home: agentHome(dir.path, NEW, AGENT), shown: '/there' };
    const why = { kind: 'gate', gate: 'test', nth: 1, of: 2 } as const;
    assert.equal(await copyConversation({ ...INPUT, why }, at), true);
  });
});
