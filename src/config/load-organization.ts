/** Loads an organization: its file `active.json`, and a file for each role. Refuses all of its problems at once. */
import { join } from 'node:path';
import { Refusal } from '../base/errors.ts';
import { errnoWords } from '../host/files/errno.ts';
import type {
  OrganizationRole,
  PinnedOrganization,
} from '../protocol/contracts/organization-contract.ts';
import type { JsonSchema } from '../settings/json-schema.ts';
import type { OrganizationFile as Written } from '../settings/organization-file.ts';
import {
  OrganizationFile,
  organizationFileJsonSchema,
  OrganizationRoleFile,
  organizationRoleJsonSchema,
} from '../settings/organization-file.ts';
import { DOMAIN_NAMES } from '../settings/domain-names.ts';
import type { Problem } from '../yaml/problem.ts';
import { quote, yamlRefusal } from '../yaml/problem.ts';
import { readYaml } from '../yaml/read-yaml.ts';
import type { Issue } from '../yaml/schema-faults.ts';
import { schemaFaults } from '../yaml/schema-faults.ts';
import type { YamlPath, YamlTree } from '../yaml/yaml-tree.ts';
import { pathText, toValue, treeAt } from '../yaml/yaml-tree.ts';

/** Reads the files of one organization. `path`: relative to its folder. */
export type OrganizationTexts = {
  readonly read: (path: string, bytesMax: number) => Promise<string | undefined>;
  readonly list: (folder: string) => Promise<readonly string[]>;
};

const FILE_BYTES_MAX = 64_000;
const ROLES_MAX = 100;
const HEARTBEAT_SECONDS = 30;
const INVALID = {
  code: 'config.invalid',
  hint: 'Fix the file. The guide about organizations lists all keys and triggers.',
} as const;

/** `folder`: its path, for messages. Undefined if there is no `active.json`: then nothing else is read. */
export async function loadOrganization(
  folder: string,
  texts: OrganizationTexts,
): Promise<PinnedOrganization | undefined> {
  const active = await readText('active.json', folder, texts);
  if (active === undefined) return undefined;
  const { tree, value } = readFile(join(folder, 'active.json'), active, {
    parse: (given) => OrganizationFile.safeParse(given),
    schema: organizationFileJsonSchema,
  });
  const roles = await loadRoles(folder, texts);
  const faults = unknownRoles(tree, value, new Set(roles.map(({ id }) => id)));
  if (faults.length > 0) throw yamlRefusal(faults, INVALID);
  const members = memberIds(value);
  return {
    id: value.org_id,
    mode: value.mode ?? 'microcosm',
    heartbeatSeconds: value.heartbeat_seconds ?? HEARTBEAT_SECONDS,
    roles: members.size === 0 ? roles : roles.filter(({ id }) => members.has(id)),
    routing: Object.fromEntries(
      Object.entries(value.domain_routing ?? {}).map(([name, role]) => [DOMAIN_NAMES[name], role]),
    ),
  };
}

async function loadRoles(
  folder: string,
  texts: OrganizationTexts,
): Promise<readonly OrganizationRole[]> {
  const names = (await texts.list('roles')).filter((name) => name.endsWith('.json')).toSorted();
  if (names.length > ROLES_MAX)
    throw new Refusal({
      ...INVALID,
      message: `${join(folder, 'roles')} has ${names.length} roles; the limit is ${ROLES_MAX}.`,
      details: { file: join(folder, 'roles') },
    });
  const roles: OrganizationRole[] = [];
  for (const name of names) {
    const file = join(folder, 'roles', name);
    const text = (await readText(join('roles', name), folder, texts)) ?? '';
    const { tree, value } = readFile(file, text, {
      parse: (given) => OrganizationRoleFile.safeParse(given),
      schema: organizationRoleJsonSchema,
    });
    if (`${value.id}.json` !== name) {
      const message = `role_id: expected ${quote(name.slice(0, -'.json'.length))}, the name of the file`;
      throw yamlRefusal([problemAt(tree, ['role_id'], message)], INVALID);
    }
    roles.push(value);
  }
  return roles;
}

async function readText(
  path: string,
  folder: string,
  { read }: OrganizationTexts,
): Promise<string | undefined> {
  const file = join(folder, path);
  const refuse = (why: string): Refusal =>
    new Refusal({
      code: 'config.unreadable',
      message: `${file}: the file cannot be read: ${why}`,
      hint: 'Make the file readable, or move it away.',
      details: { file },
    });
  const text = await read(path, FILE_BYTES_MAX).catch((error: unknown) => {
    if (error instanceof Refusal) throw error;
    throw refuse(errnoWords(error)); // the user must fix the file, so it is a refusal and not a defect
  });
  if (text !== undefined && text.length > FILE_BYTES_MAX)
    throw refuse(`it is larger than ${FILE_BYTES_MAX} bytes`);
  return text;
}

type Parsed<Value> =
  | { readonly success: true; readonly data: Value }
  | { readonly success: false; readonly error: { readonly issues: readonly Issue[] } };

/** JSON is YAML, and the reader of YAML knows in which line each value is. */
function readFile<Value>(
  file: string,
  text: string,
  {
    parse,
    schema,
  }: {
    readonly parse: (value: unknown) => Parsed<Value>;
    readonly schema: () => JsonSchema;
  },
): { readonly tree: YamlTree; readonly value: Value } {
  const { tree, problems } = readYaml(text, (line, column) => ({ file, line, column }));
  if (problems.length > 0) throw yamlRefusal(problems, INVALID);
  const parsed = parse(toValue(tree));
  if (!parsed.success)
    throw yamlRefusal(schemaFaults(tree, parsed.error.issues, schema()), INVALID);
  return { tree, value: parsed.data };
}

/** The roles of the organization. Empty: all that have a file. */
function memberIds({ hierarchy = {} }: Written): ReadonlySet<string> {
  return new Set(
    Object.entries(hierarchy).flatMap(([id, { subordinates = [] }]) => [id, ...subordinates]),
  );
}

function unknownRoles(tree: YamlTree, written: Written, known: ReadonlySet<string>): Problem[] {
  const named: [YamlPath, string][] = [
    ...Object.entries(written.hierarchy ?? {}).flatMap(
      ([id, { subordinates = [] }]): [YamlPath, string][] => [
        [['hierarchy', id], id],
        ...subordinates.map((name, nth): [YamlPath, string] => [
          ['hierarchy', id, 'subordinates', nth],
          name,
        ]),
      ],
    ),
    ...Object.entries(written.domain_routing ?? {}).map(([name, role]): [YamlPath, string] => [
      ['domain_routing', name],
      role ?? '',
    ]),
  ];
  return named
    .filter(([, id]) => !known.has(id))
    .map(([path, id]) =>
      problemAt(
        tree,
        path,
        `${pathText(path)}: the role ${quote(id)} has no file: add roles/${id}.json`,
      ),
    );
}

function problemAt(tree: YamlTree, path: YamlPath, message: string): Problem {
  return { place: (treeAt(tree, path) ?? tree).place, key: pathText(path), message };
}
