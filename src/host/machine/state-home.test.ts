import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { homeAt } from './state-home.ts';

describe('a home', () => {
  test('has everything inside', () => {
    const { id: _, ...home } = homeAt('/user/.supervisor', '/run/short');
    assert.deepEqual(home, {
      apiToken: '/user/.supervisor/api-token',
      dashboard: '/user/.supervisor/dashboard.json',
      dir: '/user/.supervisor',
      journal: '/user/.supervisor/journal.db',
      lock: '/user/.supervisor/owner.lock',
      database: '/user/.supervisor/database.json',
      ownerFile: '/user/.supervisor/owner.json',
      ownerLog: '/user/.supervisor/owner.log',
      socketDir: '/user/.supervisor',
      socket: '/user/.supervisor/owner.sock',
      outputs: '/user/.supervisor/outputs',
    });
  });

  const lengths: [why: string, dir: string, inside: boolean][] = [
    ['of the longest path that fits', `/${'h'.repeat(88)}`, true],
    ['one byte longer', `/${'h'.repeat(89)}`, false],
    ['whose characters are few and bytes many', `/${'ü'.repeat(50)}`, false],
  ];
  for (const [why, dir, inside] of lengths) {
    test(`${why} has a socket path that the system accepts`, () => {
      const { socket, socketDir, id } = homeAt(dir, '/run/short');
      assert.ok(Buffer.byteLength(socket) <= 103);
      assert.deepEqual(
        [socket, socketDir],
        inside ? [`${dir}/owner.sock`, dir] : [`/run/short/${id}.sock`, '/run/short'],
      );
    });
  }

  test('is distinguished from another by its id', () => {
    const ids = ['/a', '/b', '/a/', `/${'x'.repeat(200)}`, `/${'x'.repeat(201)}`].map(
      (dir) => homeAt(dir, '/run').id,
    );
    assert.equal(new Set(ids).size, ids.length);
    assert.equal(homeAt('/a', '/run').id, homeAt('/a', '/other').id);
    for (const id of ids) assert.match(id, /^[0-9a-f]{16}$/);
  });
});
