import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  canSweep,
  findTag,
  isAlive,
  parseStat,
  processTable,
  signalProcess,
} from './process-table.ts';
import { parsePs, parsePsTags } from './ps-table.ts';

const REST = '0 -1 4194304 10 0 0 0 1 2 0 0 20 0 1 0 98765 1000 2000';

describe('one line of the table', () => {
  test('a name may contain spaces, parentheses and text that looks like a state', () => {
    assert.deepEqual(parseStat(`42 (a) Z (b c) S 7 40 39 ${REST}`), {
      pid: 42,
      ppid: 7,
      pgid: 40,
      session: 39,
      startTime: 98765,
      zombie: false,
      stopped: false,
    });
  });

  test('a zombie is recognized', () => {
    assert.equal(parseStat(`42 (node) Z 7 40 39 ${REST}`).zombie, true);
  });

  test('a process whose first thread has ended lives on in the others', () => {
    const twoThreads = REST.replace('20 0 1 0', '20 0 2 0');
    assert.equal(parseStat(`42 (node) Z 7 40 39 ${twoThreads}`).zombie, false);
  });

  test('a stopped process is recognized', () => {
    assert.equal(parseStat(`42 (node) T 7 40 39 ${REST}`).stopped, true);
  });

  const environments: [why: string, environ: string, tag: string | undefined][] = [
    ['a tag among others', 'A=1\0SUPERVISOR_TAG=me/1\0B=2\0', 'me/1'],
    ['a tag at the start', 'SUPERVISOR_TAG=me/1\0B=2\0', 'me/1'],
    ['a tag at a truncated end', 'A=1\0SUPERVISOR_TAG=me/1', 'me/1'],
    ['the first of two tags, as getenv has it', 'SUPERVISOR_TAG=a\0SUPERVISOR_TAG=b\0', 'a'],
    ['no tag in the value of another', 'X=SUPERVISOR_TAG=no\0', undefined],
    ['a tag after a look-alike', 'X=SUPERVISOR_TAG=no\0SUPERVISOR_TAG=yes\0', 'yes'],
    ['no tag in another name', 'MY_SUPERVISOR_TAG=no\0', undefined],
    ['nothing in nothing', '', undefined],
  ];
  for (const [why, environ, tag] of environments) {
    test(why, () => assert.equal(findTag(Buffer.from(environ)), tag));
  }
});

describe('the table of this machine', () => {
  test('it contains our own process, alive, with its parent', async () => {
    const rows = await processTable.rows();
    const self = rows.find(({ pid }) => pid === process.pid);
    assert.ok(self);
    assert.equal(self.ppid, process.ppid);
    assert.deepEqual(processTable.row(process.pid), self);
    assert.equal(isAlive(self), true);
    assert.equal(canSweep(), true);
  });

  test('case 32: a process with our pid and another start time is another process, and is not signalled', () => {
    const startTime = processTable.row(process.pid)?.startTime ?? 0;
    const other = { pid: process.pid, startTime: startTime - 1 };
    assert.equal(isAlive(other), false);
    assert.equal(signalProcess(other, 'SIGKILL'), false);
  });
});

describe('the table read with ps', () => {
  test('its columns are read, a session that is an address counts as unknown', () => {
    const text = [
      '    1     0     1     1 Ss   Sat Nov 14 19:12:00 2026',
      '   77     1    77 7f00ab Z+   Sat Nov 14 19:12:01 2026',
      '',
    ].join('\n');
    assert.deepEqual(parsePs(text), [
      {
        pid: 1,
        ppid: 0,
        pgid: 1,
        session: 1,
        startTime: Date.parse('2026-11-14T19:12:00'),
        zombie: false,
        stopped: false,
      },
      {
        pid: 77,
        ppid: 1,
        pgid: 77,
        session: 0,
        startTime: Date.parse('2026-11-14T19:12:01'),
        zombie: true,
        stopped: false,
      },
    ]);
  });

  test('tags are found after the command', () => {
    const text = ' 12 node x.js HOME=/ SUPERVISOR_TAG=me/1 A=2\n 13 sleep 9 XSUPERVISOR_TAG=no\n';
    assert.deepEqual([...parsePsTags(text, 'SUPERVISOR_TAG')], [[12, 'me/1']]);
  });
});
