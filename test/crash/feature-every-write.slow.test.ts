/** The owner dies at its k-th write of a whole feature, for every k. No component, merge, gate or commit happens twice. */
import { describe } from 'node:test';
import type { RunId } from '../../src/base/ids.ts';
import { smallFeature, smallGraph, spanningFeature } from '../support/feature-performers.ts';
import { testEveryWrite } from './every-write.ts';

const ONE_IN = 12;

describe('an owner that dies at any write of a feature', () => {
  testEveryWrite(
    {
      name: 'three components, with a new interface, a red gate and a conflict',
      submissions: [smallFeature('one', 9)],
      people: async ({ id, open }, engine) => {
        const question = open.find(({ command }) => command === 'ask');
        if (question === undefined) return;
        await engine.signal(id as RunId, { kind: 'answer', key: question.key, answer: 'accept' });
      },
    },
    ONE_IN,
  );
  testEveryWrite(
    {
      name: 'two projects that share an interface, with a new version of it, a red gate and a conflict',
      submissions: [spanningFeature('one', 9)],
      people: async ({ id, open }, engine) => {
        const question = open.find(({ command }) => command === 'ask');
        if (question === undefined) return;
        await engine.signal(id as RunId, { kind: 'answer', key: question.key, answer: 'accept' });
      },
    },
    ONE_IN,
  );
  testEveryWrite(
    {
      name: 'a graph with a red gate, a branch, a skipped task and rounds that a person ends',
      submissions: [smallGraph('one', 9)],
      people: async ({ id, open }, engine) => {
        const question = open.find(({ command }) => command === 'ask');
        if (question === undefined) return;
        await engine.signal(id as RunId, { kind: 'answer', key: question.key, answer: 'yes' });
      },
    },
    ONE_IN,
  );
});
