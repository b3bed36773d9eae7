/**
 * Provides the processes of gateways. Starting one takes longer than anything else at the start of an attempt. So one
 * spare process is kept ready once an owner has needed any.
 */
import { getCompileCacheDir } from 'node:module';
import { dirname } from 'node:path';
import type { Clock } from '../../base/clock.ts';
import type { CgroupParents } from '../../host/process/cgroup.ts';
import type { ProcessBounds } from './gateway-process.ts';
import { GatewayProcess } from './gateway-process.ts';
import { processLimits } from './process-limits.ts';

export type GatewayProcessesOptions = {
  readonly clock: Clock;
  readonly node: string;
  /** The program: `src/execution/model-gateway/gateway-main.ts`. */
  readonly main: string;
  /** Creates the tag of the nth process. */
  readonly tagOf: (nth: number) => string;
  /** The environment of the owner. Only its certificate settings are passed on. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly bounds?: Partial<ProcessBounds>;
  /** The control groups of the processes, and their names. Default: no process has a group. */
  readonly groups?: { readonly where: CgroupParents; readonly nameOf: (nth: number) => string };
};

/** Larger requests need a process with larger limits, which is started on demand. */
const SPARE_REQUEST_BYTES = 32_000_000;
/** Waits, because the attempt that has just started needs the machine more than the next one. */
const SPARE_AFTER_MS = 1000;
const FORWARDED_VARIABLES = [
  'NODE_EXTRA_CA_CERTS',
  'NODE_USE_SYSTEM_CA',
  'NODE_TLS_REJECT_UNAUTHORIZED',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
] as const;

export class GatewayProcesses implements AsyncDisposable {
  readonly #options: GatewayProcessesOptions;
  readonly #closing = new AbortController();
  #spare: GatewayProcess | undefined;
  #isFilling = false;
  #count = 0;

  constructor(options: GatewayProcessesOptions) {
    this.#options = options;
  }

  /** A process for requests of up to this many bytes. It may still be loading. */
  take(requestBytesMax: number): GatewayProcess {
    this.#closing.signal.throwIfAborted();
    void this.#fill();
    if (requestBytesMax > SPARE_REQUEST_BYTES) return this.#start(requestBytesMax);
    const spare = this.#spare;
    this.#spare = undefined;
    return spare ?? this.#start(SPARE_REQUEST_BYTES);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    const spare = this.#spare;
    this.#spare = undefined;
    await spare?.kill();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #fill(): Promise<void> {
    if (this.#isFilling) return;
    this.#isFilling = true;
    const { clock } = this.#options;
    if (await clock.sleep(SPARE_AFTER_MS, this.#closing.signal)) {
      this.#spare ??= this.#start(SPARE_REQUEST_BYTES);
      void this.#dropFailedSpare(this.#spare);
    }
    this.#isFilling = false;
  }

  async #dropFailedSpare(spare: GatewayProcess): Promise<void> {
    await spare.failed;
    if (this.#spare === spare) this.#spare = undefined;
  }

  #start(requestBytesMax: number): GatewayProcess {
    const { clock, node, main, tagOf, env, groups, bounds = {} } = this.#options;
    const nth = (this.#count += 1);
    const cache = getCompileCacheDir();
    return new GatewayProcess({
      clock,
      node,
      main,
      bounds,
      tag: tagOf(nth),
      limits: processLimits(requestBytesMax, groups?.nameOf(nth), groups?.where),
      env: {
        ...(cache === undefined ? {} : { NODE_COMPILE_CACHE: dirname(cache) }),
        ...Object.fromEntries(
          FORWARDED_VARIABLES.flatMap((name) => {
            const value = env[name];
            return value === undefined ? [] : [[name, value]];
          }),
        ),
      },
    });
  }
}
