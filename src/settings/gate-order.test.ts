import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { findCircle, orderGates } from './gate-order.ts';

type Case = readonly [
  why: string,
  given: Readonly<Record<string, string>>,
  order: string,
  circle: string | undefined,
];

const CASES: readonly Case[] = [
  ['gates without dependencies keep their order', { b: '', a: '' }, 'b a', undefined],
  ['a gate follows what it depends on', { types: 'lint', lint: '' }, 'lint types', undefined],
  ['only as much moves as must', { c: 'b', a: '', b: '' }, 'b c a', undefined],
  ['dependencies of dependencies come first', { a: 'b', b: 'c', c: '' }, 'c b a', undefined],
  ['a gate that is not there is ignored', { a: 'x', b: '' }, 'a b', undefined],
  ['a gate that depends on itself is a circle', { a: 'a' }, 'a', 'a a'],
  ['a longer circle is named whole', { a: 'b', b: 'c', c: 'a' }, 'c b a', 'a b c a'],
  ['a circle behind other gates is found', { x: 'a', a: 'b', b: 'a' }, 'b a x', 'a b a'],
];

describe('gates that depend on one another', () => {
  for (const [why, given, order, circle] of CASES)
    test(why, () => {
      const gates = Object.entries(given).map(([name, names]) => ({
        name,
        dependsOn: names === '' ? [] : names.split(' '),
      }));
      assert.deepEqual(
        [
          orderGates(gates)
            .map(({ name }) => name)
            .join(' '),
          findCircle(gates)?.join(' '),
        ],
        [order, circle],
      );
    });
});
