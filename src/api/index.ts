export { type ApiParts, addOperationsApi } from './routes.ts'
