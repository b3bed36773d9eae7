import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parseFeature } from './parse-feature.ts';
import { suggestEdges } from './suggest-edges.ts';

const FEATURE = parseFeature(
  `id: P1T1
title: A shop
phases:
  - id: back
    components:
      - { id: model, files: [src/model/] }
      - { id: service, files: ['src/service/**'] }
      - { id: mail, files: [src/mail.ts], depends_on: [model] }
  - id: front
    components: [{ id: form, files: [web/] }]
`,
  'f.yaml',
);
const NAMES = new Map(
  FEATURE.phases.flatMap(({ components }) => components.map(({ id, name }) => [id, name])),
);

describe('the imports of a project suggest', () => {
  type Row = readonly [why: string, imports: readonly string[], edges: readonly string[]];
  const rows: readonly Row[] = [
    [
      'a dependency that the feature lacks',
      ['src/service/pay.ts src/model/invoice.ts', 'src/service/list.ts src/model/invoice.ts'],
      ['new: back.service needs back.model (2)'],
    ],
    [
      'nothing more than what it names, or what the order of its phases says',
      ['src/mail.ts src/model/invoice.ts', 'web/form.tsx src/mail.ts'],
      ['known: back.mail needs back.model (1)', 'known: front.form needs back.mail (1)'],
    ],
    [
      'nothing about files of the same component, or of none',
      ['src/mail.ts src/mail.ts', 'src/mail.ts src/log.ts', 'src/log.ts src/mail.ts'],
      [],
    ],
    [
      'a cycle if the other component waits for it',
      ['src/model/a.ts src/mail.ts', 'src/mail.ts web/form.tsx'],
      ['cycle: back.model needs back.mail (1)', 'cycle: back.mail needs front.form (1)'],
    ],
    [
      'at most one of two dependencies that point at each other',
      ['src/model/a.ts src/service/b.ts', 'src/service/b.ts src/model/a.ts'],
      ['new: back.model needs back.service (1)', 'cycle: back.service needs back.model (1)'],
    ],
    [
      'a cycle also over a third component',
      ['src/model/a.ts src/service/b.ts', 'src/service/b.ts src/mail.ts'],
      ['new: back.model needs back.service (1)', 'cycle: back.service needs back.mail (1)'],
    ],
  ];
  test('a dependency for each owner of a file, and none for what a component owns itself', () => {
    const shared = parseFeature(
      `id: P1T1
title: A shop
phases:
  - id: one
    components:
      - { id: model, files: [index.ts, model.ts] }
      - { id: view, files: [index.ts, view.ts], depends_on: [model] }
      - { id: mail, files: [mail.ts] }
`,
      'f.yaml',
    );
    const [model, view, mail] = ['C1', 'C2', 'C3'].map((one) => `P1T1-PH1-${one}`);
    const kinds = (from: string, to: string): readonly string[] =>
      suggestEdges(shared, [{ from, to }]).map(
        ({ kind, component, needs }) => `${kind} ${component} ${needs}`,
      );
    assert.deepEqual(kinds('index.ts', 'mail.ts'), [`new ${model} ${mail}`, `new ${view} ${mail}`]);
    assert.deepEqual(kinds('mail.ts', 'index.ts'), [`new ${mail} ${model}`, `new ${mail} ${view}`]);
    assert.deepEqual(kinds('view.ts', 'index.ts'), []);
    const external = new Map([[model ?? '', ['mail.ts']]]);
    assert.deepEqual(
      suggestEdges(shared, [{ from: 'index.ts', to: 'mail.ts' }], external).map(
        ({ component }) => component,
      ),
      [view],
    );
  });

  for (const [why, imports, edges] of rows)
    test(why, () => {
      const found = imports.map((one) => {
        const [from = '', to = ''] = one.split(' ');
        return { from, to };
      });
      assert.deepEqual(
        suggestEdges(FEATURE, found).map(
          ({ kind, component, needs, imports: all }) =>
            `${kind}: ${NAMES.get(component)} needs ${NAMES.get(needs)} (${all.length})`,
        ),
        edges,
      );
    });
});
