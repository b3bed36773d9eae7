import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { FeatureFile } from '../settings/feature-file.ts';
import { pathText, toValue } from '../yaml/yaml-tree.ts';
import { readYaml } from '../yaml/read-yaml.ts';
import type { Feature } from '../protocol/feature.ts';
import { allComponents } from '../protocol/feature.ts';
import { toGraph } from './feature-graph.ts';
import { readPlaced } from './read-feature.ts';

type Read = { readonly feature: Feature; readonly faults: readonly string[] };

function read(phases: string): Read {
  const text = `id: P1T5\ntitle: Pay by invoice\nphases:\n${phases}`;
  const { tree, problems } = readYaml(text, (line, column) => ({ file: 'f', line, column }));
  assert.deepEqual(problems, []);
  const faults: string[] = [];
  const { feature } = readPlaced(FeatureFile.parse(toValue(tree)), (path, message) =>
    faults.push(`${pathText(path)}: ${message}`),
  );
  return { feature, faults };
}

const BACKEND = `
  - id: backend
    components:
      - { id: model, files: [db/] }
      - { id: service, files: [src/service.ts], depends_on: [model] }`;

describe('a feature file', () => {
  test('gives ids to phases and components, and finds what they depend on', () => {
    const { feature, faults } = read(`${BACKEND}
  - id: frontend
    title: The form
    components:
      - id: form
        title: A form to pay
        task: Write the form.
        files: [web/form.tsx]
        touches: [web/index.tsx]
        depends_on: [backend.service, model]
        role: implementer`);
    assert.deepEqual(faults, []);
    assert.deepEqual(
      feature.phases.map(({ id, title, gate }) => [id, title, gate]),
      [
        ['P1T5-PH1', 'backend', 'all-complete'],
        ['P1T5-PH2', 'The form', 'all-complete'],
      ],
    );
    assert.deepEqual(
      allComponents(feature).map(({ id, name, dependsOn }) => [id, name, dependsOn]),
      [
        ['P1T5-PH1-C1', 'backend.model', []],
        ['P1T5-PH1-C2', 'backend.service', ['P1T5-PH1-C1']],
        ['P1T5-PH2-C1', 'frontend.form', ['P1T5-PH1-C2', 'P1T5-PH1-C1']],
      ],
    );
    const form = allComponents(feature).at(-1);
    assert.deepEqual(form?.touches, ['web/form.tsx', 'web/index.tsx']);
    assert.deepEqual([form.task, form.role], ['Write the form.', 'implementer']);
    assert.equal(allComponents(feature)[0]?.task, 'model');
  });

  test('orders phases by their sequence', () => {
    const { feature, faults } = read(`
  - { id: second, sequence: 2, components: [{ id: a, files: [a] }] }
  - { id: first, sequence: 1, components: [{ id: b, files: [b] }] }`);
    assert.deepEqual(faults, []);
    assert.deepEqual(
      feature.phases.map(({ id, name }) => [id, name]),
      [
        ['P1T5-PH1', 'first'],
        ['P1T5-PH2', 'second'],
      ],
    );
  });

  const refused: readonly [why: string, phases: string, fault: string][] = [
    [
      'an unknown component, with the nearest name',
      `${BACKEND}\n      - { id: api, files: [api.ts], depends_on: [sevice] }`,
      'phases[0].components[2].depends_on[0]: no component is called "sevice" (did you mean "service"?)',
    ],
    [
      'an unknown phase',
      `${BACKEND}\n      - { id: api, files: [api.ts], depends_on: [back.model] }`,
      'phases[0].components[2].depends_on[0]: no component is called "back.model" (did you mean "backend.model"?)',
    ],
    [
      'a name that two other phases have',
      `
  - { id: one, components: [{ id: same, files: [a] }] }
  - { id: two, components: [{ id: same, files: [b] }] }
  - { id: three, components: [{ id: c, files: [c], depends_on: [same] }] }`,
      'phases[2].components[0].depends_on[0]: "same" can be one.same or two.same: write the phase too',
    ],
    [
      'a component that depends on itself',
      '  - { id: one, components: [{ id: a, files: [a], depends_on: [a] }] }',
      'phases[0].components[0].depends_on[0]: a component cannot depend on itself',
    ],
    [
      'a cycle, with every name in it',
      `
  - id: one
    components:
      - { id: a, files: [a], depends_on: [c] }
      - { id: b, files: [b], depends_on: [a] }
      - { id: c, files: [c], depends_on: [b] }`,
      'phases[0].components[0].depends_on: the components wait for each other: one.a waits for one.c waits for one.b waits for one.a',
    ],
    [
      'a component that waits for a later phase',
      `
  - { id: one, components: [{ id: a, files: [a], depends_on: [two.b] }] }
  - { id: two, components: [{ id: b, files: [b] }] }`,
      'phases[0].components[0].depends_on: the components wait for each other: one.a waits for two.b waits for one.a',
    ],
    [
      'a cycle at the component that names another one',
      `
  - id: one
    components:
      - { id: a, files: [a], depends_on: [two.c] }
      - { id: b, files: [b], depends_on: [two.c] }
  - { id: two, components: [{ id: c, files: [c] }] }`,
      'phases[0].components[1].depends_on: the components wait for each other: one.b waits for two.c waits for one.b',
    ],
    [
      'files with two owners that can run at the same time',
      `
  - id: one
    components:
      - { id: a, files: [src/a/] }
      - { id: b, files: [README.md, src/a/b.ts] }`,
      'phases[0].components[1].files[1]: one.b and one.a can run at the same time and both own "src/a/b.ts" and "src/a/": let one depend on the other',
    ],
    [
      'two phases of the same name',
      `
  - { id: one, components: [{ id: a, files: [a] }] }
  - { id: one, components: [{ id: b, files: [b] }] }`,
      'phases[1].id: two phases are called "one"',
    ],
    [
      'two components of the same name',
      '  - { id: one, components: [{ id: a, files: [a] }, { id: a, files: [b] }] }',
      'phases[0].components[1].id: two components are called "a"',
    ],
    [
      'phases of which only some have a number',
      `
  - { id: one, sequence: 1, components: [{ id: a, files: [a] }] }
  - { id: two, components: [{ id: b, files: [b] }] }`,
      'phases[1]: has no sequence, but another phase has one: number all of them or none',
    ],
    [
      'two phases with the same number',
      `
  - { id: one, sequence: 1, components: [{ id: a, files: [a] }] }
  - { id: two, sequence: 1, components: [{ id: b, files: [b] }] }`,
      'phases[1].sequence: the phases "one" and "two" have the same sequence 1',
    ],
  ];
  for (const [why, phases, fault] of refused)
    test(`refuses ${why}`, () => assert.deepEqual(read(phases).faults, [fault]));

  test('refuses patterns that would hold up every decision of the scheduler', () => {
    const patterns = (last: string): string =>
      Array.from({ length: 40 }, (_, nth) => `'${'*a'.repeat(100)}${last}${nth}'`).join(', ');
    const { faults } = read(`
  - id: one
    components:
      - { id: a, files: [a], touches: [${patterns('b')}] }
      - { id: b, files: [b], touches: [${patterns('c')}] }`);
    assert.deepEqual(faults, [
      'phases[0].components[1].files: the patterns take too long to compare: name folders, or use fewer * and {}',
    ]);
  });

  test('names a bounded number of pairs that own the same file', () => {
    const parts = Array.from({ length: 60 }, (_, nth) => `      - { id: c${nth}, files: [src/] }`);
    const { faults } = read(`\n  - id: one\n    components:\n${parts.join('\n')}`);
    assert.equal(faults.length, 100);
  });

  test('lets two components own a file if one is complete before the other starts', () => {
    const { faults } = read(`
  - id: one
    components:
      - { id: a, files: [src/] }
      - { id: b, files: [src/b.ts], depends_on: [a] }
  - { id: two, components: [{ id: c, files: [src/] }] }`);
    assert.deepEqual(faults, []);
  });

  test('refuses shared files across phases that can run at the same time', () => {
    const { faults } = read(`
  - { id: one, components: [{ id: a, files: [src/] }] }
  - { id: two, gate: interfaces-locked, components: [{ id: b, files: [src/b.ts] }] }`);
    assert.match(faults.join(), /two\.b and one\.a can run at the same time/);
  });

  test('refuses more components than a run can start', () => {
    const list = (from: number): string =>
      Array.from(
        { length: 550 },
        (_, nth) => `{ id: c${from + nth}, files: [f${from + nth}.ts] }`,
      ).join(', ');
    const { faults } = read(`
  - { id: one, components: [${list(0)}] }
  - { id: two, components: [${list(550)}] }`);
    assert.deepEqual(faults, ['phases: 1100 components; the limit is 1000']);
  });

  test('refuses more patterns than can be compared', () => {
    const files = Array.from({ length: 60 }, (_, nth) => `f${nth}.ts`).join(', ');
    const list = Array.from({ length: 90 }, (_, nth) => `{ id: c${nth}, files: [${files}] }`);
    const { faults } = read(`\n  - { id: one, components: [${list.join(', ')}] }`);
    assert.deepEqual(faults, ['phases: 5400 paths and patterns in all; the limit is 5000']);
  });
});

const LOCKED = `
  - id: backend
    interfaces: [{ file: types/a.d.ts, definition: 'type A = 1' }]
    components:
      - { id: model, files: [db/] }`;

describe('the interfaces of a phase in a feature file', () => {
  test('are a component of Supervisor that the others wait for', () => {
    const { feature, faults } = read(`${LOCKED}
  - { id: web, gate: interfaces-locked, components: [{ id: form, files: [f], uses: [types/a.d.ts] }] }
  - { id: end, components: [{ id: docs, files: [d] }] }`);
    assert.deepEqual(faults, []);
    const { waitsFor } = toGraph(feature);
    assert.deepEqual(
      allComponents(feature).map(({ id, name, uses }) => [id, name, uses, waitsFor.get(id)]),
      [
        ['P1T5-PH1-C0', 'backend.interfaces', undefined, []],
        ['P1T5-PH1-C1', 'backend.model', ['types/a.d.ts'], ['P1T5-PH1-C0']],
        ['P1T5-PH2-C1', 'web.form', ['types/a.d.ts'], ['P1T5-PH1-C0']],
        ['P1T5-PH3-C1', 'end.docs', undefined, ['P1T5-PH2-C1', 'P1T5-PH1-C0', 'P1T5-PH1-C1']],
      ],
    );
  });

  const refused: readonly (readonly [why: string, phases: string, faults: readonly string[]])[] = [
    [
      'no component may own one',
      `${LOCKED}\n      - { id: x, files: [types/a.d.ts] }`,
      [
        'phases[0].components[1].files[0]: "types/a.d.ts" is an interface, and backend.x could not change it: interfaces are locked',
      ],
    ],
    [
      'no other phase may lock the same file',
      `${LOCKED}\n  - { id: two, interfaces: [{ file: types/a.d.ts, definition: x }], components: [{ id: y, files: [y] }] }`,
      ['phases[1].interfaces[0].file: the interface "types/a.d.ts" is there twice'],
    ],
    [
      'a component uses only what exists',
      `${LOCKED}\n      - { id: x, files: [x], uses: [types/b.d.ts] }`,
      [
        'phases[0].components[1].uses[0]: no phase has the interface "types/b.d.ts" (did you mean "types/a.d.ts"?)',
      ],
    ],
    [
      'and only what is locked before it starts',
      `
  - { id: one, components: [{ id: x, files: [x], uses: [types/a.d.ts] }] }${LOCKED}`,
      [
        'phases[0].components[0].uses[0]: one.x does not wait for backend.interfaces, which locks "types/a.d.ts"',
      ],
    ],
  ];
  for (const [why, phases, faults] of refused)
    test(why, () => assert.deepEqual(read(phases).faults, faults));
});
