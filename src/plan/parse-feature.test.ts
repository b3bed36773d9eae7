import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isRefusal } from '../base/errors.ts';
import { parseFeature } from './parse-feature.ts';

function read(text: string): string {
  try {
    const { id, phases } = parseFeature(text, 'f.yaml');
    return `${id}: ${phases.map(({ name }) => name).join(' ')}`;
  } catch (error) {
    if (isRefusal(error, 'feature.invalid')) return error.message;
    throw error;
  }
}

const START = 'id: P1T5\ntitle: Pay by invoice\nphases:\n';

describe('the text of a feature', () => {
  const rows: readonly [why: string, text: string, expected: string][] = [
    ['is read', `${START}  - id: one\n    components: [{ id: a, files: [a.ts] }]\n`, 'P1T5: one'],
    ['is YAML', 'id: [\n', 'f.yaml:1:5: the bracket [ is never closed: add ]'],
    [
      'has all required keys',
      'title: x\n',
      [
        'f.yaml:1:1: the file has no id: expected an id such as P1T5',
        'f.yaml:1:1: the file has no phases: expected a list of phases',
      ].join('\n'),
    ],
    [
      'has no unknown key: the line and the nearest key are named',
      `${START}  - id: one\n    components:\n      - { id: a, files: [a.ts], depend_on: [b] }\n`,
      'f.yaml:6:33: unknown key "depend_on" in phases[0].components[0] (did you mean "depends_on"?)',
    ],
    [
      'has paths inside the project',
      `${START}  - id: one\n    components:\n      - { id: a, files: [../a.ts] }\n`,
      'f.yaml:6:26: phases[0].components[0].files[0]: expected a path inside the project, without . and .., found "../a.ts"',
    ],
    [
      'names components that exist, at their place',
      `${START}  - id: one\n    components:\n      - { id: model, files: [a.ts] }\n      - { id: b, files: [b.ts], depends_on: [modle] }\n`,
      'f.yaml:7:46: no component is called "modle" (did you mean "model"?)',
    ],
    [
      'shows all faults at once',
      `${START}  - id: one\n    components:\n      - { id: a, files: [src/] }\n      - { id: a, files: [src/b.ts] }\n`,
      [
        'f.yaml:7:15: two components are called "a"',
        'f.yaml:7:26: one.a and one.a can run at the same time and both own "src/b.ts" and "src/": let one depend on the other',
      ].join('\n'),
    ],
  ];
  for (const [why, text, expected] of rows) test(why, () => assert.equal(read(text), expected));
});
