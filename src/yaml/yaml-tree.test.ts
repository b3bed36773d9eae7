import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';
import { parseJson } from '../base/json.ts';
import { readYaml } from './read-yaml.ts';
import { listLeaves, mergeLayers, pathText, toValue, withoutNulls } from './yaml-tree.ts';
import type { YamlTree } from './yaml-tree.ts';

function layer(text: string, file = 'f'): YamlTree {
  const { tree, problems } = readYaml(text, (line, column) => ({ file, line, column }));
  assert.deepEqual(problems, []);
  return tree;
}

function merged(...texts: string[]): unknown {
  const tree = withoutNulls(mergeLayers(texts.map((text) => layer(text))));
  return parseJson(JSON.stringify(toValue(tree)));
}

describe('layers merge', () => {
  const cases: [why: string, layers: string[], expected: unknown][] = [
    ['no layer is an empty map', [], {}],
    ['a scalar overrides', ['a: 1', 'a: 2'], { a: 2 }],
    [
      'false and zero override like any scalar',
      ['a: true\nb: 1', 'a: false\nb: 0'],
      { a: false, b: 0 },
    ],
    ['an empty text overrides', ['a: x', 'a: ""'], { a: '' }],
    ['lists append, lower first', ['a: [1, 2]', 'a: [3]', 'a: [4]'], { a: [1, 2, 3, 4] }],
    ['a list may hold the same item twice', ['a: [1]', 'a: [1]'], { a: [1, 1] }],
    [
      'maps merge to any depth',
      ['a: {b: {c: 1, d: 2}}', 'a: {b: {d: 3, e: 4}}'],
      { a: { b: { c: 1, d: 3, e: 4 } } },
    ],
    ['items of a list do not merge', ['a: [{b: 1}]', 'a: [{c: 2}]'], { a: [{ b: 1 }, { c: 2 }] }],
    [
      'system prompts are joined',
      ['system_prompt: be brief', 'system_prompt: be kind'],
      { system_prompt: 'be brief\n\nbe kind' },
    ],
    [
      'system prompts are joined at any depth',
      ['r: {system_prompt: a}', 'r: {system_prompt: b}'],
      { r: { system_prompt: 'a\n\nb' } },
    ],
    [
      'a prompt after null replaces the others',
      ['system_prompt: a', 'system_prompt: null', 'system_prompt: b'],
      { system_prompt: 'b' },
    ],
    [
      'replace overrides the lists of the layers below',
      ['a: [1]', 'a: {replace: [2]}'],
      { a: [2] },
    ],
    [
      'a layer above still appends to a replaced list',
      ['a: [1]', 'a: {replace: [2]}', 'a: [3]'],
      { a: [2, 3] },
    ],
    ['replace with an empty list empties it', ['a: [1]', 'a: {replace: []}'], { a: [] }],
    [
      'replace beside other keys is an ordinary key',
      ['a: {replace: [2], b: 1}'],
      { a: { replace: [2], b: 1 } },
    ],
    ['null removes a scalar', ['a: 1', 'a: null'], {}],
    ['a tilde is null', ['a: 1', 'a: ~'], {}],
    ['null removes a list', ['a: [1]', 'a: null', 'a: [2]'], { a: [2] }],
    ['null removes a whole map', ['a: {b: 1, c: 2}', 'a: null', 'a: {c: 3}'], { a: { c: 3 } }],
    ['null in a list is an item', ['a: [null]'], { a: [null] }],
    ['a key without a value changes nothing', ['a: {b: 1}', 'a:'], { a: { b: 1 } }],
    ['another kind of value replaces', ['a: [1]', 'a: {b: 1}'], { a: { b: 1 } }],
    ['notes are ignored', ['x-note: 1\na: {x-b: {c: 1}, d: 2}'], { a: { d: 2 } }],
  ];
  for (const [why, layers, expected] of cases) {
    test(why, () => assert.deepEqual(merged(...layers), expected));
  }

  test('and every leaf keeps its place', () => {
    const tree = mergeLayers([
      layer('a: 1\nb: {c: 2}\nl: [x]', 'user'),
      layer('b:\n  d: 3\nl:\n  - y\na: 4', 'project'),
    ]);
    const origins = listLeaves(tree).map(({ path, leaf: { place } }) => [
      pathText(path),
      `${place.file}:${place.line}:${place.column}`,
    ]);
    assert.deepEqual(Object.fromEntries(origins), {
      a: 'project:5:4',
      'b.c': 'user:2:8',
      'b.d': 'project:2:6',
      'l[0]': 'user:3:5',
      'l[1]': 'project:4:5',
    });
  });
});

const place = fc.record({
  file: fc.constantFrom('u', 'p'),
  line: fc.nat(9),
  column: fc.constant(1),
});

const node = { place, fresh: fc.boolean() };

const { layer: anyLayer } = fc.letrec<{ layer: YamlTree; tree: YamlTree }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 3 },
    fc.record({
      kind: fc.constant('scalar' as const),
      ...node,
      value: fc.constantFrom('s', 't', 1, true),
    }),
    fc.record({
      kind: fc.constant('scalar' as const),
      place,
      fresh: fc.constant(true),
      value: fc.constant(null),
    }),
    fc.record({ kind: fc.constant('empty' as const), place, fresh: fc.constant(false) }),
    fc.record({
      kind: fc.constant('list' as const),
      ...node,
      items: fc.array(tie('tree'), { maxLength: 2 }),
    }),
    tie('layer'),
  ),
  layer: fc.record({
    kind: fc.constant('map' as const),
    ...node,
    entries: fc.uniqueArray(
      fc.record({ key: fc.constantFrom('a', 'b', 'system_prompt'), place, value: tie('tree') }),
      { maxLength: 3, selector: ({ key }) => key },
    ),
  }),
}));

test('merging is associative: the grouping of layers does not matter', () => {
  fc.assert(
    fc.property(anyLayer, anyLayer, anyLayer, (a, b, c) => {
      const flat = mergeLayers([a, b, c]);
      assert.deepEqual(mergeLayers([mergeLayers([a, b]), c]), flat);
      assert.deepEqual(mergeLayers([a, mergeLayers([b, c])]), flat);
    }),
    { numRuns: 2000 },
  );
});
