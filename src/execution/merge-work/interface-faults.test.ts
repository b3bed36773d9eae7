import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { findInterfaceFaults } from './interface-faults.ts';

const API = `openapi: 3.1.0
info: { title: Invoices, version: '1' }
paths:
  /invoices:
    get:
      responses: { '200': { description: All of them } }
`;

describe('the text of an interface', () => {
  type Row = readonly [
    why: string,
    path: string,
    text: string,
    faults: readonly (string | RegExp)[],
  ];
  const rows: readonly Row[] = [
    ['may declare types', 'a.d.ts', 'export type A = { readonly id: string };', []],
    [
      'names the line of a wrong type',
      'a.d.ts',
      'type A = 1;\nexport type = 2;',
      [/^a\.d\.ts:2: /],
    ],
    ['may describe an HTTP API', 'api.yaml', API, []],
    ['may be JSON that is something else', 'a.json', '{"type": "object"}', []],
    [
      'has to be a valid description',
      'api.yaml',
      API.replace('openapi: 3.1.0', 'openapi: 3.1.0\nsecret: 1').replace('description', 'text'),
      [/^api\.yaml: /],
    ],
    [
      'has a version',
      'api.yaml',
      'paths: {}',
      ['api.yaml: it has no key openapi, with its version'],
    ],
    ['is a map', 'api.yaml', '- a', ['api.yaml: it is no map of keys and values']],
    ['is YAML', 'api.yaml', 'openapi: "3', [/^api\.yaml:1: /]],
  ];
  for (const [why, path, text, expected] of rows)
    test(why, async () => {
      const faults = await findInterfaceFaults([{ path, text }]);
      if (expected.length === 0) assert.deepEqual(faults, []);
      for (const [nth, one] of expected.entries())
        if (typeof one === 'string') assert.equal(faults[nth], one);
        else assert.match(faults[nth] ?? '', one);
    });
});
