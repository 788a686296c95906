package weaviate

// TenantOf is the name of a scope's tenant.
var TenantOf = tenant
