import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { openProjectTexts } from '../../test/support/workflow-files-fixture.ts';
import { workflowFileJsonSchema } from '../settings/workflow-file.ts';
import { GATE_KINDS } from './resolve-gates.ts';

const guide = readFileSync(new URL('../../docs/guide/workflows.md', import.meta.url), 'utf8');
const blocks = [...guide.matchAll(/^```yaml\n# \.supervisor\/([\w/.]+)[^\n]*\n(.*?)^```$/gms)];
const GATES = 'gates: [{name: test, command: [a]}, {name: lint, command: [b]}]\n';

describe('the guide to workflows', () => {
  test('has examples', () => assert.equal(blocks.length, 4));

  for (const [, path = '', text = ''] of blocks)
    test(`shows a file ${path} that loads`, async () => {
      const isConfig = path === 'config.yaml';
      const texts = isConfig ? { [path]: GATES + text } : { [path]: text, 'config.yaml': GATES };
      const workflows = await openProjectTexts(texts);
      const name = isConfig ? workflows.projectWorkflow : /(\w+)\.yaml$/.exec(path)?.[1];
      const loaded = await workflows.load(name ?? assert.fail());
      assert.ok(Object.keys(loaded.definition.steps).length >= 4);
    });

  test('names every key, and every kind of gate', () => {
    const { properties = {} } = workflowFileJsonSchema();
    const step = properties['steps']?.additionalProperties;
    const inside = typeof step === 'object' ? step.properties : {};
    const { settings, limits } = properties;
    const keys = [properties, inside, settings?.properties, limits?.properties].flatMap((part) =>
      Object.keys(part ?? {}),
    );
    const shown = (word: string): boolean => new RegExp(`[\`.: ]${word}\\b`).test(guide);
    assert.deepEqual(
      [...keys, ...GATE_KINDS].filter((word) => !shown(word)),
      [],
    );
  });
});
