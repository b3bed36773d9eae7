import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readYamlFile } from './read-yaml-file.ts';
import { toValue } from './yaml-tree.ts';

test('the same text of a file is read once, and another text is read again', () => {
  const first = readYamlFile('a: 1\n', 'a.yaml');
  assert.equal(readYamlFile('a: 1\n', 'a.yaml'), first);
  const changed = readYamlFile('a: 2\n', 'a.yaml');
  assert.deepEqual([toValue(first.tree), toValue(changed.tree)], [{ a: 1 }, { a: 2 }]);
});

test('the same text in another file has its own places', () => {
  const [a, b] = ['a.yaml', 'b.yaml'].map((file) => readYamlFile('x: [', file).problems[0]?.place);
  assert.deepEqual([a?.file, b?.file], ['a.yaml', 'b.yaml']);
});

test('what was not used for long is forgotten', () => {
  const first = readYamlFile('a: 1\n', 'first.yaml');
  for (let n = 0; n < 300; n += 1) readYamlFile('a: 1\n', `${n}.yaml`);
  assert.notEqual(readYamlFile('a: 1\n', 'first.yaml'), first);
});
