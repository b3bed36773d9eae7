/** A message from one agent to another: the command `tell`. */
export type MessageInput = {
  readonly to: 'parent' | 'root';
  /** The run of the sender's parent. */
  readonly parent: string | null;
  /** The sender's name. */
  readonly from: string;
  readonly text: string;
};

export type MessageResult =
  | { readonly kind: 'told'; readonly run: string }
  /** The recipient has ended, does not exist, or has received the message already. */
  | { readonly kind: 'nobody'; readonly why: string };
