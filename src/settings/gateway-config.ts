/** Schema of `gateway` and `budget`: how model calls are forwarded, and what they may cost. */
import { z } from 'zod';
import type { SpendingCaps } from '../protocol/agent-rules.ts';
import { defined } from '../base/defined.ts';
import { amount, duration, KEYS, matching, size, text, whole } from './schema-fields.ts';

const ModelPrice = z
  .strictObject(
    {
      model: text(1, 200, 'text of 1 to 200 characters').describe(
        'The name of the model; required.',
      ),
      input: amount(0, 10_000).describe('US dollars per million input tokens; required.'),
      output: amount(0, 10_000).describe('US dollars per million output tokens; required.'),
      cached: amount(0, 10_000)
        .optional()
        .describe('US dollars per million input tokens from a cache. Default: as input.'),
      cache_write: amount(0, 10_000)
        .optional()
        .describe('US dollars per million tokens written to a cache. Default: as input.'),
      output_max: whole(1, 10_000_000)
        .optional()
        .describe('The maximum number of output tokens of one answer. Default: 128000.'),
      context_max: whole(1, 100_000_000)
        .optional()
        .describe('The size of its context in tokens. Default: as in the list of prices.'),
    },
    KEYS,
  )
  .transform(
    ({
      model,
      input,
      output,
      cached,
      cache_write: cacheWrite,
      output_max: outputMax,
      context_max: contextMax,
    }) => ({
      model,
      input,
      output,
      ...defined({ cached, cacheWrite, outputMax, contextMax }),
    }),
  );

/** Tools that run at the provider, and resources that the provider fetches by itself. */
export const SERVER_TOOLS = [
  'web_search',
  'web_fetch',
  'code_execution',
  'file_search',
  'image_generation',
  'mcp',
  'urls',
  'files',
] as const;

const PrivateHosts = z
  .array(
    matching(
      /^[a-z0-9]([a-z0-9.:-]{0,251}[a-z0-9])?$/,
      'the name or address of a host in lowercase letters',
    ),
    {
      error: 'a list of hosts',
    },
  )
  .max(100, { error: 'a list of up to 100 hosts' });

export const Gateway = z
  .strictObject(
    {
      calls_per_project: whole(1, 1000)
        .prefault(10)
        .describe('How many model calls of one project can run at once. Default: 10.'),
      outage_patience: duration('0s', '10m')
        .prefault('10s')
        .describe(
          'How long Supervisor retries a failing provider before the call fails. Default: 10s.',
        ),
      silence: duration('10s', '1h')
        .prefault('3m')
        .describe(
          'How long a provider may send nothing, before or during its answer. Default: 3m.',
        ),
      request_max: size('1MB', '256MB')
        .prefault('32MB')
        .describe('The largest request that is forwarded. Default: 32MB.'),
      record_max: size('0B', '1GB')
        .prefault('64MB')
        .describe(
          "How much of one attempt's calls is recorded. Secrets are removed. Default: 64MB.",
        ),
      private_hosts: PrivateHosts.prefault([]).describe(
        'Names or addresses of hosts that may be in a private network or use no encryption. Default: none.',
      ),
      server_tools: z
        .array(z.enum(SERVER_TOOLS, { error: `one of ${SERVER_TOOLS.join(', ')}` }), {
          error: 'a list of tools',
        })
        .prefault([])
        .describe('Tools that a provider may run, and resources that it may fetch. Default: none.'),
      prices: z
        .array(ModelPrice, { error: 'a list of prices' })
        .max(200, { error: 'a list of up to 200 prices' })
        .prefault([])
        .describe(
          'Prices of models that the built-in table does not have, or that differ from it. Default: none.',
        ),
    },
    KEYS,
  )
  .transform((gateway) => ({
    callsPerProject: gateway.calls_per_project,
    outagePatienceMs: gateway.outage_patience,
    silenceMs: gateway.silence,
    requestBytesMax: gateway.request_max,
    recordBytesMax: gateway.record_max,
    privateHosts: gateway.private_hosts,
    serverTools: gateway.server_tools,
    prices: gateway.prices,
  }));

export const capKeys = {
  tokens: whole(1, 1_000_000_000_000)
    .optional()
    .describe('Input and output tokens, including cached ones. Default: no cap.'),
  usd: amount(0.01, 1_000_000).optional().describe('US dollars. Default: no cap.'),
  calls: whole(1, 1_000_000_000).optional().describe('Model calls. Default: no cap.'),
  wall_s: whole(1, 31_536_000)
    .optional()
    .describe('Seconds since the first attempt started. Default: no cap.'),
};
const WrittenCaps = z.strictObject(capKeys, KEYS);

function toCaps({ tokens, usd, calls, wall_s: wallS }: z.output<typeof WrittenCaps>): SpendingCaps {
  return {
    tokens: tokens ?? null,
    usd: usd ?? null,
    calls: calls ?? null,
    wallMs: wallS === undefined ? null : wallS * 1000,
  };
}

export const Caps = WrittenCaps.transform(toCaps);

/** The caps of one run over all its attempts. `project` and `tree` have their own keys. */
export const Budget = z
  .strictObject(
    {
      ...capKeys,
      project: Caps.prefault({}).describe('Caps for all runs of a project together.'),
      tree: Caps.prefault({}).describe('Caps for an agent and all agents below it.'),
    },
    KEYS,
  )
  .transform(({ project, tree, ...run }) => ({ run: toCaps(run), project, tree }));
