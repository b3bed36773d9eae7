/** Words for a running agent. */
export type InjectedWords = {
  /** The conversation that is to read them. */
  readonly conversation: string;
  readonly text: string;
};

/**
 * The one way by which words reach a running agent: steering, warnings of monitors and words of a person. So they never
 * stack on one turn. `undelivered`: there is no way to this agent.
 */
export interface Injector {
  inject(words: InjectedWords): Promise<'sent' | 'undelivered'>;
}

/** For an agent that cannot be reached while it works. */
export const NO_INJECTOR: Injector = { inject: async () => 'undelivered' };
