/** What a face can ask of the owner about agents that live long. */
import { Declared, LifeView } from '../protocol/life-view.ts';
import type { SpawnRequest } from '../protocol/life-view.ts';
import type { Call } from './transport.ts';
import { command } from './transport.ts';

export class AgentsClient {
  readonly #json: (path: string, call: Call) => Promise<unknown>;

  constructor(json: (path: string, call: Call) => Promise<unknown>) {
    this.#json = json;
  }

  async spawn(request: SpawnRequest, key?: string): Promise<LifeView> {
    return LifeView.parse(await this.#json('/v1/agents', command(key, request)));
  }

  /** Of a project, or of all; the dead too. */
  async list(project?: string): Promise<readonly LifeView[]> {
    return LifeView.array().parse(
      await this.#json(`/v1/agents${inProject(project)}`, { method: 'GET' }),
    );
  }

  /** By its id, or by its name in that project; the same for those below. */
  async view(id: string, project?: string): Promise<LifeView> {
    const path = `${agentPath(id)}${inProject(project)}`;
    return LifeView.parse(await this.#json(path, { method: 'GET' }));
  }

  async send(id: string, text: string, project?: string, key?: string): Promise<LifeView> {
    const call = command(key, { text, project });
    return LifeView.parse(await this.#json(`${agentPath(id)}/messages`, call));
  }

  async dismiss(id: string, because?: string, project?: string, key?: string): Promise<LifeView> {
    const call = command(key, { because, project });
    return LifeView.parse(await this.#json(`${agentPath(id)}/dismiss`, call));
  }

  /** Its work is wrong: it begins again, and is told why. */
  async reject(id: string, feedback: string, project?: string, key?: string): Promise<LifeView> {
    const call = command(key, { feedback, project });
    return LifeView.parse(await this.#json(`${agentPath(id)}/reject`, call));
  }

  /** Brings up those that the configuration of a project names. */
  async declare(project: string, untrusted = false): Promise<Declared> {
    const call: Call = { method: 'POST', body: { project, ...(untrusted ? { untrusted } : {}) } };
    return Declared.parse(await this.#json('/v1/agents/declare', call));
  }
}

function agentPath(id: string): string {
  return `/v1/agents/${encodeURIComponent(id)}`;
}

function inProject(project: string | undefined): string {
  return project === undefined ? '' : `?${new URLSearchParams({ project }).toString()}`;
}
