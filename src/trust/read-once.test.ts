import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readOnce } from './read-once.ts';

test('a file is read once for each limit, a folder is listed once, and a failure is given again', async () => {
  const asked: unknown[] = [];
  const files = readOnce({
    read: async (path, bytesMax) => {
      asked.push([path, bytesMax]);
      if (path === '/gone') throw new Error('it is gone');
      return `${path} up to ${bytesMax}`;
    },
    list: async (folder) => {
      asked.push(folder);
      return [`${folder}.yaml`];
    },
  });
  const texts = [
    await files.read('/a', 10),
    await files.read('/a', 10),
    await files.read('/a', 20),
    await files.list('/b'),
    await files.list('/b'),
  ];
  await assert.rejects(files.read('/gone', 10), /it is gone/);
  await assert.rejects(files.read('/gone', 10), /it is gone/);
  assert.deepEqual(texts, ['/a up to 10', '/a up to 10', '/a up to 20', ['/b.yaml'], ['/b.yaml']]);
  assert.deepEqual(asked, [['/a', 10], ['/a', 20], '/b', ['/gone', 10]]);
});
