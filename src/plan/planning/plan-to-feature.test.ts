import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { randomInt, randomItem, seededRandom } from '../../base/random.ts';
import { PlanAnswer } from '../../protocol/answer.ts';
import { allComponents } from '../../protocol/feature.ts';
import type { FeatureFile } from '../../settings/feature-file.ts';
import { readYaml } from '../../yaml/read-yaml.ts';
import { toValue } from '../../yaml/yaml-tree.ts';
import { parseFeature } from '../parse-feature.ts';
import { writeFeature } from './plan-to-feature.ts';
import { renderFeatureFile } from './render-feature-file.ts';

type Given = {
  readonly phases: readonly object[];
  readonly dependencies?: readonly object[];
  readonly estimated_components?: number;
};

function plan({ phases, dependencies = [], ...more }: Given): PlanAnswer {
  const count = phases.flatMap((one) => (one as { components: object[] }).components).length;
  return PlanAnswer.parse({
    ...{ status: 'COMPLETE', phases, dependencies, estimated_components: count },
    ...more,
  });
}

const part = (id: string, files: readonly string[], needs: readonly string[] = []): object => ({
  ...{ id, title: `The ${id}`, files, depends_on: needs },
});
const ABOUT = { id: 'P1T5', task: 'Let customers pay\nby invoice' };

const TWO = plan({
  phases: [
    {
      ...{ id: 'Backend', title: 'Behind', description: 'What customers do not see.' },
      components: [part('Model', ['db/']), part('mail.er', ['src/mail.ts'], ['Model'])],
      interfaces: [
        { name: 'Invoice', type: 'type', definition: 'type Invoice = { id: string }' },
        { name: 'send', type: 'function', definition: 'send(invoice) -> bool' },
      ],
    },
    { id: 'front', title: 'Before', components: [part('form', ['web/'], ['mail.er', 'Backend'])] },
  ],
  dependencies: [{ from: 'front', to: 'Backend' }],
});

describe('a plan as a feature file', () => {
  test('has names, tasks and dependencies that the reader of such files accepts', () => {
    const { text, faults } = writeFeature(TWO, ABOUT, 'P1T5.yaml');
    assert.deepEqual(faults, []);
    assert.equal(
      text,
      `id: P1T5
title: Let customers pay by invoice
description: |-
  Let customers pay
  by invoice
phases:
  - id: backend
    title: Behind
    interfaces:
      - file: types/invoice.d.ts
        definition: "type Invoice = { id: string }"
    components:
      - id: model
        title: The Model
        task: |-
          The Model

          About this phase: What customers do not see.

          The components of this phase agree on:

          send (function):
          send(invoice) -> bool
        files: [db/]
      - id: mail-er
        title: The mail.er
        task: |-
          The mail.er

          About this phase: What customers do not see.

          The components of this phase agree on:

          send (function):
          send(invoice) -> bool
        files: [src/mail.ts]
        depends_on: [model]
  - id: front
    title: Before
    components:
      - id: form
        title: The form
        task: The form
        files: [web/]
        depends_on: [backend.mail-er]
`,
    );
    const feature = parseFeature(text, 'P1T5.yaml');
    assert.deepEqual(
      allComponents(feature).map(({ id, name }) => [id, name]),
      [
        ['P1T5-PH1-C0', 'backend.interfaces'],
        ['P1T5-PH1-C1', 'backend.model'],
        ['P1T5-PH1-C2', 'backend.mail-er'],
        ['P1T5-PH2-C1', 'front.form'],
      ],
    );
  });

  type Row = readonly [why: string, plan: PlanAnswer, faults: readonly RegExp[]];
  const rows: readonly Row[] = [
    [
      'components that wait for each other',
      plan({
        phases: [
          { id: 'a', title: 'A', components: [part('x', ['x'], ['y']), part('y', ['y'], ['x'])] },
        ],
      }),
      [/^P1T5\.yaml:\d+:\d+: the components wait for each other: a\.x waits for a\.y/],
    ],
    [
      'two components that own the same file',
      plan({ phases: [{ id: 'a', title: 'A', components: [part('x', ['f']), part('y', ['f'])] }] }),
      [/a\.y and a\.x can run at the same time and both own "f"/],
    ],
    [
      'a wrong count',
      plan({
        phases: [{ id: 'a', title: 'A', components: [part('x', ['x'])] }],
        estimated_components: 7,
      }),
      [/^estimated_components: it says 7, and the plan has 1 component$/],
    ],
    [
      'a component without a file, and a phase that waits for a later one',
      plan({
        phases: [
          { id: 'a', title: 'A', components: [part('x', [])] },
          { id: 'b', title: 'B', components: [part('y', ['y'])] },
        ],
        dependencies: [{ from: 'a', to: 'b' }],
      }),
      [/^P1T5\.yaml:\d+:\d+: .*files.*at least one path/],
    ],
    [
      'a phase that waits for a later one',
      plan({
        phases: [
          { id: 'a', title: 'A', components: [part('x', ['x'])] },
          { id: 'b', title: 'B', components: [part('y', ['y'])] },
        ],
        dependencies: [{ from: 'a', to: 'b' }],
      }),
      [/the components wait for each other: a\.x waits for b\.y waits for a\.x/],
    ],
    ['no phase at all', plan({ phases: [] }), [/phases/]],
  ];
  for (const [why, given, faults] of rows)
    test(`has a fault: ${why}`, () => {
      const found = writeFeature(given, ABOUT, 'P1T5.yaml').faults;
      assert.equal(found.length, faults.length, found.join('\n'));
      for (const [nth, fault] of faults.entries()) assert.match(found[nth] ?? '', fault);
    });

  test('is read back as it was written, whatever its texts are', () => {
    const texts = [
      ...['plain words', 'yes', 'a: b', '- x', '"', "it's", '# no', 'ends ', ' begins', '1', '~'],
      ...[
        'two\nlines',
        'three\n\n  lines',
        'tab\there\nx',
        'ü 漢字',
        'a\r\nb',
        '| \n x',
        '{a}',
        '*',
      ],
    ];
    for (let seed = 1; seed <= 200; seed += 1) {
      const random = seededRandom(seed);
      const text = (): string => randomItem(random, texts as [string, ...string[]]);
      const file = {
        ...{ id: 'P1T1', title: text(), description: text() },
        phases: Array.from({ length: randomInt(random, 1, 3) }, (_, p) => ({
          ...{ id: `p${p}`, title: text() },
          components: Array.from({ length: randomInt(random, 1, 3) }, (_unused, c) => ({
            ...{ id: `c${c}`, title: text(), task: text(), files: [text().trim(), 'x/**'] },
          })),
        })),
      } as FeatureFile;
      const { tree, problems } = readYaml(renderFeatureFile(file), (line, column) => ({
        ...{ file: 'f.yaml', line, column },
      }));
      assert.deepEqual(problems, [], `seed ${seed}`);
      assert.deepEqual(toValue(tree), JSON.parse(JSON.stringify(file)), `seed ${seed}`);
    }
  });
});
