from importing.admin.imports import ImportRunAdmin
