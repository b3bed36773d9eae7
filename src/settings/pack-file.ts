/** Schema of `pack.yaml`, the manifest of a pack of roles and workflows. */
import { z } from 'zod';
import type { JsonSchema } from './json-schema.ts';
import { KEYS, matching, text } from './schema-fields.ts';

const DEPENDENCIES_MAX = 10;
/** As npm allows it. */
const NAME = /^(?:@[a-z0-9][a-z0-9._-]{0,60}\/)?[a-z0-9][a-z0-9._-]{0,80}$/;
/** One version. A range would give another pack tomorrow. */
const VERSION = /^\d{1,9}\.\d{1,9}\.\d{1,9}(?:[-+][0-9A-Za-z.+-]{1,60})?$/;

const packName = matching(NAME, 'the name of a pack, such as security-pack or @team/security');
const exactVersion = matching(VERSION, 'one version, such as 1.2.0');

export function isPackName(name: string): boolean {
  return packName.safeParse(name).success;
}

export const PackFile = z.strictObject(
  {
    name: packName.describe('The name of the pack.'),
    version: exactVersion.describe('Its version.'),
    author: text(1, 200, 'a name of up to 200 characters').describe('Who made it.'),
    description: text(0, 500, 'one sentence').prefault('').describe('What it is for.'),
    extends: z
      .array(packName, { error: 'a list of packs' })
      .max(DEPENDENCIES_MAX, { error: `up to ${DEPENDENCIES_MAX} packs` })
      .prefault([])
      .describe('Packs whose roles its own roles extend.'),
    dependencies: z
      .record(packName, exactVersion, { error: 'packs with their versions' })
      .refine((all) => Object.keys(all).length <= DEPENDENCIES_MAX, {
        error: `up to ${DEPENDENCIES_MAX} packs with their versions`,
      })
      .prefault({})
      .describe('Packs that it needs, each with one version.'),
  },
  KEYS,
);
export type PackFile = z.infer<typeof PackFile>;

export function packFileJsonSchema(): JsonSchema {
  return z.toJSONSchema(PackFile, { io: 'input' }) as JsonSchema;
}

const Installed = z.strictObject({
  name: z.string(),
  version: z.string(),
  author: z.string(),
  description: z.string(),
  /** Where it came from, such as `npm security@1.2.0`. */
  source: z.string(),
  /** The hash of the archive of npm, or the commit of the repository. */
  pinned: z.string(),
  dependencies: z.record(z.string(), z.string()),
  /** By path: the SHA-256 of its text. */
  files: z.record(z.string(), z.string()),
});
export type InstalledPack = z.infer<typeof Installed>;

/** The list of packs in the user's home. Only Supervisor writes it. */
export const InstalledPacks = z.strictObject({ version: z.literal(1), packs: z.array(Installed) });
