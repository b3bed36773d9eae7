/** The words of a letter from one agent to another: the command `tell`. */
export type MessageInput = {
  readonly to: 'parent' | 'root';
  /** The run of the agent that the writer belongs to. */
  readonly parent: string | null;
  /** The writer's name. */
  readonly from: string;
  readonly text: string;
};

export type MessageResult =
  | { readonly kind: 'told'; readonly run: string }
  /** It is gone, or there is nobody, or it has heard of it already. */
  | { readonly kind: 'nobody'; readonly why: string };
