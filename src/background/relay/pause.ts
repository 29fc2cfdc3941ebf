/** A pause that somebody may end before its time. */
export class Pause {
  #end: () => void = () => undefined;

  /** Resolves after so many milliseconds, or at the next call of `end`. One pause at a time. */
  for(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#end = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** Nothing happens when there is no pause. */
  end(): void {
    this.#end();
  }
}
