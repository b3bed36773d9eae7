/** The published schema of feature files must agree with the reader that decides. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { z } from 'zod';
import { isRefusal } from '../../src/base/errors.ts';
import { parseFeature } from '../../src/plan/parse-feature.ts';
import { featureJsonSchema, graphJsonSchema } from '../../src/settings/file-schemas.ts';

type Schema = Parameters<typeof z.fromJSONSchema>[0];

const validator = z.fromJSONSchema(featureJsonSchema() as Schema);
const graphValidator = z.fromJSONSchema(graphJsonSchema() as Schema);

function readerAccepts(document: object): boolean {
  try {
    parseFeature(JSON.stringify(document), 'f.yaml');
    return true;
  } catch (error) {
    if (isRefusal(error, 'feature.invalid')) return false;
    throw error;
  }
}

const COMPONENT = { id: 'a', files: ['a.ts'] };
const PHASE = { id: 'one', components: [COMPONENT] };
const FEATURE = { id: 'P1T5', title: 'x', phases: [PHASE] };
const phase = (fields: object): object => ({ ...FEATURE, phases: [{ ...PHASE, ...fields }] });
const component = (fields: object): object => phase({ components: [{ ...COMPONENT, ...fields }] });

describe('the schema for editors and the reader agree', () => {
  const cases: [why: string, document: object, good: boolean][] = [
    ['the least', FEATURE, true],
    ['a note', { ...FEATURE, 'x-note': 1 }, true],
    ['a value that is removed', { ...FEATURE, description: null }, true],
    ['every key of a phase', phase({ title: 'One', sequence: 3, gate: 'interfaces-locked' }), true],
    [
      'every key of a component',
      component({ title: 'A', task: 'b', touches: ['c'], role: 'd' }),
      true,
    ],
    ['another id', { ...FEATURE, id: 'F5' }, false],
    ['no phase', { ...FEATURE, phases: [] }, false],
    ['no file', component({ files: [] }), false],
    ['a path outside the project', component({ files: ['/etc'] }), false],
    ['an unknown key', component({ file: 'x' }), false],
    ['an unknown gate', phase({ gate: 'soon' }), false],
    ['a name with a blank', component({ id: 'a b' }), false],
  ];
  for (const [why, document, good] of cases)
    test(`${why}: ${good ? 'accepted' : 'refused'}`, () => {
      const bySchema = validator.safeParse(document).success;
      assert.deepEqual([bySchema, readerAccepts(document)], [good, good]);
    });
});

const TASK = { id: 'a', kind: 'task', files: ['a.ts'] };
const REPEAT = { until: { field: 'a.result', operator: 'equals', value: 'landed' }, max: 10 };
const graph = (...nodes: readonly object[]): object => ({ id: 'P1T5', title: 'x', nodes });
const subgraph = (fields: object, ...nodes: readonly object[]): object => ({
  ...{ id: 's', kind: 'subgraph', nodes, ...fields },
});

describe('the schema of a graph and its reader agree', () => {
  const cases: [why: string, document: object, good: boolean][] = [
    ['the least', graph(TASK), true],
    ['a note', { ...graph(TASK), 'x-note': 1 }, true],
    ['rounds', graph(subgraph({ repeat: REPEAT }, TASK)), true],
    ['two levels', graph(subgraph({}, subgraph({}, TASK))), true],
    ['three levels', graph(subgraph({}, subgraph({}, subgraph({}, TASK)))), false],
    ['eleven rounds', graph(subgraph({ repeat: { ...REPEAT, max: 11 } }, TASK)), false],
    ['no node', graph(), false],
    ['another kind', graph({ ...TASK, kind: 'job' }), false],
    ['an unknown key', graph({ ...TASK, file: 'x' }), false],
    [
      'another operator',
      graph(subgraph({ repeat: { ...REPEAT, until: { ...REPEAT.until, operator: '==' } } }, TASK)),
      false,
    ],
  ];
  for (const [why, document, good] of cases)
    test(`${why}: ${good ? 'accepted' : 'refused'}`, () => {
      const bySchema = graphValidator.safeParse(document).success;
      assert.deepEqual([bySchema, readerAccepts(document)], [good, good]);
    });
});
