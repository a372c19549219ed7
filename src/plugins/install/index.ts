export { type Address, addressWarning, readAddress } from "./address.ts";
export { InstallError, type InstallErrorCode } from "./error.ts";
export {
  type Installed,
  type InstallPlace,
  type Prepared,
  prepareInstall,
  prepareUpdate,
  readPlugin,
  removeInstalled,
} from "./installation.ts";
export { installPackage, type NpmPlace, packageName, packageVersion, removePackage, updatePackage } from "./npm.ts";
export { type Provenance, readProvenance } from "./provenance.ts";
export { type Review, review } from "./review.ts";
