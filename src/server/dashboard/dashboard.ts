/**
 * The dashboard as a component of the owner. Its port is closed until a person asks for a link. It stays the same over
 * restarts of the owner as long as a browser has access, so that an open page finds the next owner.
 */
import type { Clock } from '../../base/clock.ts';
import { describeError, isRefusal } from '../../base/errors.ts';
import type { AgentTable } from '../../owner/agent-table-file.ts';
import { OwnerComponent } from '../../owner/component.ts';
import { unavailable } from '../../owner/component.ts';
import type {
  DashboardLink,
  EndedAccess,
  LinkRequest,
  QuestionLinkRequest,
} from '../../protocol/dashboard-access.ts';
import type { ChildSpec } from '../../supervision/index.ts';
import { listenUrl } from '../admit.ts';
import type { HttpHandler, Listening } from '../listen.ts';
import { listenOnTcp } from '../listen.ts';
import { AccessStore } from './access-store.ts';
import { isInUse } from './access-state.ts';
import { parsePublicUrl } from './admit-page.ts';
import type { PageAddress } from './admit-page.ts';
import type { DashboardPorts } from './dashboard-app.ts';
import { dashboardApp } from './dashboard-app.ts';
import { PageFiles } from './page-files.ts';

const HOST = '127.0.0.1';
/** How often the port is checked for having no more use. */
const LOOK_MS = 60_000;

export type DashboardOptions = Omit<DashboardPorts, 'store' | 'files' | 'address' | 'api'> & {
  /** What the pages show of the user's configuration, and change in it. */
  readonly agentTable: AgentTable;
  /** The file of the home that says who has access. */
  readonly accessFile: string;
  readonly pageFolder: string;
};

export class Dashboard {
  readonly #options: DashboardOptions;
  readonly #files: PageFiles;
  #api: DashboardPorts['api'] | undefined;
  #running: Running | undefined;

  constructor(options: DashboardOptions) {
    this.#options = options;
    this.#files = new PageFiles(options.pageFolder);
  }

  get agentTable(): AgentTable {
    return this.#options.agentTable;
  }

  get clock(): Clock {
    return this.#options.clock;
  }

  /** The child of the owner's tree. `api` answers the requests of pages. */
  child(api: DashboardPorts['api']): ChildSpec {
    this.#api = api;
    return {
      id: 'dashboard',
      start: async () => {
        const { accessFile, clock, log } = this.#options;
        const store = await AccessStore.open(accessFile, clock);
        const component = new OwnerComponent(async () => {
          this.#running = undefined;
          await running.close();
        });
        const running = new Running(clock, store, (lost) => component.fail(lost));
        this.#running = running;
        const { port, publicUrl } = store.access;
        if (port !== null && isInUse(store.access))
          // Another program may have the port now. A new link then opens another one.
          await running.open(this.#handler(running), port, publicUrl).catch((error: unknown) => {
            log(`dashboard: could not open its port ${port} again: ${describeError(error)}`);
          });
        return { kind: 'started', child: component };
      },
    };
  }

  /** Opens the port if it is closed. */
  async link({ role = 'operator', ...place }: LinkRequest): Promise<DashboardLink> {
    const running = await this.#opened(place);
    const { token, expiresAt } = await running.store.addLink(role);
    return { url: `${running.url()}/enter/${token}`, role, expiresAt };
  }

  /** `key`: of the open question. */
  async questionLink({ run, ...place }: QuestionLinkRequest, key: string): Promise<DashboardLink> {
    const running = await this.#opened(place);
    const { token, expiresAt } = await running.store.addQuestionLink({ run, key });
    return { url: `${running.url()}/a/${token}`, role: 'question', expiresAt };
  }

  async #opened({ port, publicUrl }: Omit<LinkRequest, 'role'>): Promise<Running> {
    const running = this.#running ?? unavailable('The dashboard');
    const { access } = running.store;
    const url = publicUrl === undefined ? access.publicUrl : publicUrl && parsePublicUrl(publicUrl);
    this.#files.refresh();
    await this.#openPort(running, port, url);
    return running;
  }

  /** Ends all links and sessions, and closes the port. */
  async endAll(): Promise<EndedAccess> {
    const running = this.#running ?? unavailable('The dashboard');
    const ended = await running.store.endAll();
    await running.closePort();
    return ended;
  }

  async #openPort(
    running: Running,
    wanted: number | undefined,
    publicUrl: string | null,
  ): Promise<void> {
    if (running.isOpenAt(wanted)) return running.setPublicUrl(publicUrl);
    const usual = wanted ?? running.store.access.port ?? 0;
    try {
      await running.open(this.#handler(running), usual, publicUrl);
    } catch (error) {
      if (wanted !== undefined || usual === 0 || !isRefusal(error, 'api.port-taken')) throw error;
      await running.open(this.#handler(running), 0, publicUrl);
    }
  }

  #handler(running: Running): HttpHandler {
    const { clock, owner, log } = this.#options;
    const api = this.#api ?? unavailable('The dashboard');
    const { store } = running;
    return dashboardApp({
      ...{ clock, owner, log, store, api, files: this.#files },
      address: () => running.address(),
    });
  }
}

/** One life of the component: the store, and the port while it is open. */
class Running {
  readonly store: AccessStore;
  readonly #clock: Clock;
  readonly #fail: (lost: string) => void;
  readonly #closing = new AbortController();
  #open: { readonly listening: Listening; readonly port: number } | undefined;
  #publicUrl: string | null = null;

  constructor(clock: Clock, store: AccessStore, fail: (lost: string) => void) {
    this.#clock = clock;
    this.store = store;
    this.#fail = fail;
    void this.#closeWithoutUse();
  }

  /** Whether the port is open, and the wanted one. */
  isOpenAt(port: number | undefined): boolean {
    return this.#open !== undefined && (port === undefined || port === this.#open.port);
  }

  address(): PageAddress {
    return { host: HOST, port: this.#open?.port ?? 0, publicUrl: this.#publicUrl };
  }

  url(): string {
    return this.#publicUrl ?? listenUrl({ host: HOST, port: this.#open?.port ?? 0 });
  }

  async open(answer: HttpHandler, port: number, publicUrl: string | null): Promise<void> {
    const listening = await listenOnTcp(answer, { host: HOST, port }, this.#clock);
    await this.closePort();
    const opened = { listening, port: listening.port ?? port };
    this.#open = opened;
    void listening.lost.then((why) => (this.#open === opened ? this.#fail(why) : undefined));
    await this.setPublicUrl(publicUrl);
  }

  async setPublicUrl(publicUrl: string | null): Promise<void> {
    this.#publicUrl = publicUrl;
    const { port } = this.address();
    const { access } = this.store;
    if (access.port !== port || access.publicUrl !== publicUrl)
      await this.store.setAddress(port, publicUrl);
  }

  async closePort(): Promise<void> {
    const open = this.#open;
    this.#open = undefined;
    await open?.listening.close();
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.closePort();
  }

  async #closeWithoutUse(): Promise<void> {
    while (await this.#clock.sleep(LOOK_MS, this.#closing.signal))
      if (!isInUse(this.store.access)) await this.closePort();
  }
}
