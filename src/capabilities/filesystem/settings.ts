export interface FilesystemSettings {
  /** The home directory, whose secrets and settings the file tools do not write. */
  readonly home: string;
  /** Characters of one answer of read_file; 100,000. */
  readonly readCharacters?: number;
  /** Further files and folders that are never written. Absolute. */
  readonly protectedPaths?: readonly string[];
  /** Files are written inside these folders only. Absent: anywhere that is not protected. */
  readonly writableRoots?: readonly string[];
  /** `false`: search without ripgrep. A path: this ripgrep. Absent: the one that is installed with the package, else that of the system. */
  readonly ripgrep?: string | false;
}
