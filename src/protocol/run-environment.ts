/**
 * The variables that a command passes from its shell to the owner, each by name: `PATH`, what the chosen agents log in
 * with, and what the package managers of a setup read. The owner keeps the values in its memory. No fact, view or
 * message contains one.
 */
import { z } from 'zod';

/** Where package managers find their registries and certificates. A setup may use them. No agent and no gate sees them. */
export const SETUP_VARIABLES: readonly string[] = [
  'npm_config_registry',
  'NPM_CONFIG_REGISTRY',
  'npm_config_cafile',
  'NPM_CONFIG_CAFILE',
  'npm_config_userconfig',
  'NPM_CONFIG_USERCONFIG',
  'npm_config_globalconfig',
  'NPM_CONFIG_GLOBALCONFIG',
  'PIP_INDEX_URL',
  'PIP_EXTRA_INDEX_URL',
  'PIP_CERT',
  'PIP_CONFIG_FILE',
  'GOPROXY',
  'GOSUMDB',
  'GOFLAGS',
  'GOENV',
  'GOTOOLCHAIN',
  'NODE_EXTRA_CA_CERTS',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  'REQUESTS_CA_BUNDLE',
  'CURL_CA_BUNDLE',
];

const NAMES_MAX = 64;
const NAME_CHARS_MAX = 128;
const VALUE_CHARS_MAX = 32_768;

const Name = z
  .string()
  .max(NAME_CHARS_MAX)
  .regex(/^[A-Za-z_]\w*$/, 'not the name of a variable');

export const RunEnvironment = z
  .record(Name, z.string().max(VALUE_CHARS_MAX))
  .refine((values) => Object.keys(values).length <= NAMES_MAX, `more than ${NAMES_MAX} variables`);
export type RunEnvironment = Readonly<z.infer<typeof RunEnvironment>>;

/** The part of a request that names no more than its environment. */
export const WithEnvironment = z
  .strictObject({ environment: RunEnvironment.optional() })
  .transform(({ environment }) => ({ environment }));

/** The part of a command that tells which agents it may use, so which variables they need. */
export const EnvironmentRequest = z.strictObject({
  /** The absolute path of the project. */
  project: z.string().startsWith('/'),
  agent: z.string().optional(),
  chain: z.array(z.string()).max(100).optional(),
  model: z.string().optional(),
  /** The command may use any agent: it names a role or a workflow, or starts all declared agents. */
  any: z.boolean().optional(),
  unsafe: z.boolean().optional(),
  set: z.array(z.string()).default([]),
  untrusted: z.boolean().optional(),
});
export type EnvironmentRequest = z.input<typeof EnvironmentRequest>;

/** Names of variables. A command sends those that its shell has. */
export const EnvironmentNames = z.strictObject({ names: z.array(z.string()) });
export type EnvironmentNames = z.infer<typeof EnvironmentNames>;

/** What keeps agents of a run from their model, and what to type. Null: nothing that is known. */
export const LackingKeys = z.strictObject({
  lacks: z.string().nullable(),
  /** Its budget does not pay for one call. Null: it does, or that is not known. */
  budget: z.string().nullable(),
});
export type LackingKeys = z.infer<typeof LackingKeys>;
