import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { layOut } from './lay-out.ts';

const ITEMS = [
  { id: 'model', waitsFor: [] },
  { id: 'mail', waitsFor: [] },
  { id: 'service', waitsFor: ['model'] },
  { id: 'form', waitsFor: ['model', 'mail', 'service'] },
];

describe('the drawing of a plan', () => {
  test('has what waits right of what it waits for, and nothing on top of another', () => {
    const { nodes } = layOut(ITEMS);
    const at = new Map(nodes.map((one) => [one.id, one]));
    const x = (id: string): number => at.get(id)?.x ?? Number.NaN;
    assert.ok(x('model') < x('service') && x('service') < x('form') && x('mail') < x('form'));
    assert.equal(new Set(nodes.map((one) => `${one.x} ${one.y}`)).size, ITEMS.length);
  });

  test('leaves out edges that follow from others', () => {
    assert.deepEqual(layOut(ITEMS).edges, [
      { from: 'model', to: 'service' },
      { from: 'mail', to: 'form' },
      { from: 'service', to: 'form' },
    ]);
  });
});
