import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { defaultSettings } from '../settings/settings.ts';
import { configFileJsonSchema } from '../settings/config-file.ts';
import type { JsonSchema } from '../settings/json-schema.ts';
import { loadSettings } from './load-settings.ts';
import type { LoadedSettings } from './load-settings.ts';

const guide = readFileSync(new URL('../../docs/guide/configuration.md', import.meta.url), 'utf8');

function blocks(language: string): string[] {
  return [...guide.matchAll(/^```(\w+)\n(.*?)^```$/gms)]
    .filter(([, name]) => name === language)
    .map(([, , text]) => text ?? '');
}

function load(text: string): Promise<LoadedSettings> {
  return loadSettings({
    home: '/h',
    userDir: '/u',
    readFile: (path) => Promise.resolve(path === '/h/config.yaml' ? text : undefined),
  });
}

describe('the guide to configuration', () => {
  const examples = blocks('yaml');

  test('has examples', () => assert.equal(examples.length, 8));

  for (const [index, text] of examples.entries()) {
    test(`shows an example that loads (${index + 1})`, async () => {
      await load(text);
    });
  }

  test('shows every key with its default', async () => {
    const [everything = ''] = examples;
    const { settings } = await load(everything);
    const { agents, defaultAgent } = settings;
    const { prices } = settings.gateway;
    const gateway = { ...defaultSettings.gateway, prices };
    assert.deepEqual(settings, { ...defaultSettings, agents, defaultAgent, gateway });
    assert.deepEqual([agents.length, defaultAgent, prices.length], [2, 'deep', 1]);
    const shown = examples.join('');
    const missing = keysOf(configFileJsonSchema()).filter((key) => !shown.includes(`${key}:`));
    assert.deepEqual(missing, []);
  });

  test('shows refusals with their real text', async () => {
    const faulty = 'version: 1\n\nlimts: {}\n\n\nattempt:\n  grace: soon';
    const error: unknown = await load(faulty).catch((thrown: unknown) => thrown);
    assert.ok(error instanceof Error);
    const shown = blocks('text').join('').replaceAll('.supervisor/config.yaml', '/h/config.yaml');
    assert.equal(`${error.message}\n`, shown);
  });
});

function keysOf({ properties = {}, items }: JsonSchema): string[] {
  const inside = items === undefined ? [] : keysOf(items);
  return [
    ...inside,
    ...Object.entries(properties).flatMap(([key, part]) => [key, ...keysOf(part)]),
  ];
}
