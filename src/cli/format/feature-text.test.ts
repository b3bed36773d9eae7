import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parseFeature } from '../../plan/parse-feature.ts';
import type { CliContext } from '../cli-context.ts';
import { formatFeature } from './feature-text.ts';

const context = {
  terminal: { isTty: false, width: 80, colour: false },
} as unknown as CliContext;

describe('the plan of a feature says of components that cannot run side by side', () => {
  const rows: readonly [why: string, components: string, expected: RegExp][] = [
    ['that there is one', '{ id: a, files: [a] }', /There is one component, so nothing runs/],
    [
      'how many there are',
      '{ id: a, files: [a] }, { id: b, files: [b], depends_on: [a] }',
      /No two of these 2 components can run side by side/,
    ],
  ];
  const locks = ["interfaces: [{ file: t.d.ts, definition: 'export type T = 1;' }], ", ''];
  for (const [why, components, expected] of rows)
    for (const interfaces of locks)
      test(`${why}${interfaces === '' ? '' : ', beside the interfaces of the phase'}`, () => {
        const phase = `  - { id: one, ${interfaces}components: [${components}] }`;
        const feature = parseFeature(`id: P1T1\ntitle: A\nphases:\n${phase}\n`, 'f.yaml');
        assert.match(formatFeature(context, feature, 4), expected);
      });
});
